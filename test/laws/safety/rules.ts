/** What a rule of the house is, and how most of them are said. */
import { type Import, lineAt, type Source } from '../source.ts'

export interface Rule {
  readonly promise: string
  /** What breaks the rule, one line each. */
  check(sources: readonly Source[]): string[]
  /** Trees that break it, by path below src; each must be found out. */
  readonly planted: readonly Readonly<Record<string, string>>[]
}

export const inFolder = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)
export const familyOf = (path: string) => /^families\/([^/]+)\//.exec(path)?.[1]
export const nameOf = (path: string) => path.split('/').at(-1)!

/** A violation for each import that is wrong. */
export function checkImports(judge: (source: Source, one: Import) => boolean): Rule['check'] {
  return (sources) =>
    sources.flatMap((source) =>
      source.imports.filter((one) => !judge(source, one)).map((one) => `${source.path} imports ${one.specifier}`),
    )
}

/** A violation for each match in the code outside strings, unless `allowed` says that it may be there. */
export function checkMatches(
  pattern: RegExp,
  allowed: (source: Source, match: RegExpExecArray) => boolean,
): Rule['check'] {
  return (sources) =>
    sources.flatMap((source) =>
      [...source.bare.matchAll(pattern)]
        .filter((match) => !allowed(source, match))
        .map((match) => `${source.path}:${lineAt(source, match.index)} ${match[0].trim()}`),
    )
}

export const nowhere = () => false
