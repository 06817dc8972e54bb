/** Bodies of requests that are almost right. */
import fc from 'fast-check'

/** What a field may not expect. */
export const strange = fc.oneof(
  fc.constantFrom(null, '', 'x'.repeat(300), 0, -1, 1.5, 2 ** 40, true, [], {}, [1], { surprise: 1 }, 'tcp', '1'),
  fc.string({ maxLength: 3 }),
)

/** Puts something else at a random place of a value. */
export function bent(value: unknown, at: number, other: unknown): unknown {
  if (typeof value !== 'object' || value === null || at % 3 === 0) return other
  const keys = Object.keys(value)
  if (keys.length === 0) return { surprise: other }
  const key = keys[at % keys.length]!
  const own = (value as Record<string, unknown>)[key]
  const copy = Array.isArray(value) ? [...value] : { ...value }
  Object.assign(copy, { [key]: bent(own, Math.floor(at / 3), other) })
  return copy
}
