/**
 * The table of operations as one short text, which the build writes: a line with the path of a family and the type of
 * its resources, then a line for each of its operations. What follows from the name of an operation is
 * left out.
 */
import type { Need } from '../../src/kernel/access/roles.ts'
import { publicBase } from '../../src/kernel/contract/bases.ts'

export interface Operation {
  readonly method: string
  /** Below the base, with parameters in braces: `/servers/{id}`. */
  readonly path: string
  /** The access it needs. */
  readonly needs: Need
  readonly isPaged: boolean
  /** The root of the API below which it is. */
  readonly base: string
  /** True if it needs a fresh proof of who one is. */
  readonly elevated: boolean
}

/** The operations of the API, as far as calls need them. */
interface Table {
  readonly operations: ReadonlyMap<string, Operation>
  /** The types of what can be deleted one by one, by family: `server` for `servers`. */
  readonly types: ReadonlyMap<string, string>
}

const methods: Readonly<Record<string, string>> = { G: 'GET', P: 'POST', U: 'PUT', D: 'DELETE' }

/** Returns the path of an action below its family, such as `/#/actions/change_type` for `changeType`. */
function usualPlace(key: string): string {
  return `/#/actions/${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
}

export function writeOperations({ operations, types }: Table): string {
  const families = Map.groupBy(operations, ([, { path }]) => path.split('/')[1]!)
  return [...families]
    .flatMap(([family, rows]) => [
      [family, types.get(family) ?? []].flat().join(' '),
      ...rows.map(([id, { method, path, needs, isPaged, base, elevated }]) => {
        const key = id.startsWith(`${family}_`) ? id.slice(family.length + 1) : `@${id}`
        const place = path.slice(family.length + 1).replace('{id}', '#')
        const flags = (isPaged ? 'p' : '') + (elevated ? 'e' : '')
        const letter = Object.entries(methods).find(([, name]) => name === method)?.[0]
        const root = base === publicBase ? '' : base
        return ` ${[key, `${letter}${flags}`, needs, place === usualPlace(key) ? '!' : place, root].join(' ').trimEnd()}`
      }),
    ])
    .join('\n')
}

export function readOperations(text: string): Table {
  const operations = new Map<string, Operation>()
  const types = new Map<string, string>()
  let family = ''
  for (const line of text.split('\n')) {
    const [key = '', flags = '', needs, place = '', base = publicBase] = line.trim().split(' ')
    if (!line.startsWith(' ')) {
      family = key
      if (flags) types.set(key, flags)
    } else {
      const below = place === '!' ? usualPlace(key) : place
      operations.set(key.startsWith('@') ? key.slice(1) : `${family}_${key}`, {
        method: methods[flags[0]!]!,
        path: `/${family}${below.replace('#', '{id}')}`,
        needs: needs as Need,
        isPaged: flags.includes('p'),
        base,
        elevated: flags.includes('e'),
      })
    }
  }
  return { operations, types }
}
