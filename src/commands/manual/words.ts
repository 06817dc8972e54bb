/** Parts that the completions of all shells have in common. */
import { type DescribedCommand, type ValueKind, withAll } from './description.ts'

/** A word of a command line that decides what comes after it. */
export interface Lead {
  /** The command of the line and the word, such as `wolke serve --listen`. */
  readonly lines: readonly string[]
  /** The value that an option takes, or that the word leads to another command. */
  readonly kind: ValueKind | 'command'
}

/** All such words, those with the same effect together. */
export function leadsOf(program: DescribedCommand): readonly Lead[] {
  const all = withAll(program)
  const commands = all.flatMap(({ commands }) => commands.map(({ words }) => words.join(' ')))
  const options = all.flatMap(({ words, options }) =>
    options
      .filter(({ takes }) => takes !== undefined)
      .map(({ flag, kind }) => ({ line: `${words.join(' ')} ${flag}`, kind })),
  )
  const byKind = Map.groupBy(options, ({ kind }) => JSON.stringify(kind))
  return [
    { lines: commands, kind: 'command' },
    ...[...byKind.values()].map((same) => ({ lines: same.map(({ line }) => line), kind: same[0]!.kind })),
  ]
}

/** A word for bash and zsh. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The words that may stand in a place, as far as they are known. */
export const wordsOf = (kind: ValueKind | undefined): readonly string[] => (typeof kind === 'object' ? kind.words : [])

/** Sets what an option takes. It begins with a colon, so that a value of which nothing is known is still one. */
export const setValue = (kind: ValueKind): string => `value=${quoted(`:${wordsOf(kind).join(' ')}`)}`
