/** What all parts of a catalogue file have in common. */
import { Type } from 'typebox'

export const Id = Type.Integer({ minimum: 1, maximum: 2 ** 52 - 1 })
export const Code = Type.String({ pattern: '^[a-z0-9][a-z0-9-]*$' })
export const Name = Type.String({ pattern: '^\\S+$' })

/** Refuses the file; the path names the entry. */
export function fail(path: string, problem: string): never {
  throw new Error(`catalogue: ${path === '' ? '' : `${path}: `}${problem}`)
}

/** Throws when two items have the same `key`; the message names `field`. */
export function checkUnique<T>(
  items: readonly T[],
  list: string,
  field: string,
  key: (item: T) => string | number,
): void {
  const firstIndex = new Map<string | number, number>()
  for (const [index, item] of items.entries()) {
    const first = firstIndex.get(key(item))
    if (first !== undefined) {
      fail(`${list}[${index}].${field}`, `${JSON.stringify(key(item))} is already used by ${list}[${first}]`)
    }
    firstIndex.set(key(item), index)
  }
}
