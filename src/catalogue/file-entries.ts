/** These schemas are shared by all parts of a catalogue file. */
import { type Static, type TSchema, Type } from 'typebox'
import type { Deprecation } from './catalogue.ts'

export const Id = Type.Integer({ minimum: 1, maximum: 2 ** 52 - 1 })
export const Code = Type.String({ pattern: '^[a-z0-9][a-z0-9-]*$' })
export const Name = Type.String({ pattern: '^\\S+$' })
export const Size = Type.Integer({ minimum: 1 })
export const Architecture = Type.Enum(['x86', 'arm'])

// The format allows leap seconds, which Date cannot represent.
export const Timestamp = Type.Refine(
  Type.String({ format: 'date-time' }),
  (text) => !Number.isNaN(Date.parse(text)),
  () => 'must be a time without leap second',
)

export const DeprecationEntry = Type.Object({ announced: Timestamp, unavailable_after: Timestamp })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([Type.Null(), schema])

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

/** A deprecation of a file that was checked. */
export function parseDeprecation(entry: Static<typeof DeprecationEntry> | null): Deprecation | null {
  if (entry === null) return null
  return { announced: utcSeconds(entry.announced), unavailableAfter: utcSeconds(entry.unavailable_after) }
}

/** The inverse of `parseDeprecation`. */
export function formatDeprecation(deprecation: Deprecation | null): Static<typeof DeprecationEntry> | null {
  if (deprecation === null) return null
  return { announced: deprecation.announced, unavailable_after: deprecation.unavailableAfter }
}

/** A timestamp of a file in UTC with whole seconds. */
export function utcSeconds(timestamp: string): string {
  return `${new Date(timestamp).toISOString().slice(0, -5)}Z`
}
