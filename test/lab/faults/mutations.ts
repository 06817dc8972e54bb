/** Bodies that are each wrong in one way. */

interface Mutation {
  readonly body: unknown
  /** The field that is wrong. */
  readonly field: string
}

/** No rule may have these anywhere. */
const strange: readonly unknown[] = [
  ...[null, true, false, -1, -1.5, 1.5, -(2 ** 53), Number.MAX_SAFE_INTEGER],
  ...['', '\u0000', '\ud800', 'x'.repeat(2_000)],
  ...[[], [[]], [{}], [null], [true], ['a', 'b'], [1, 2]],
  ...[{ unknown: 1 }, { toString: 'x' }, { 0: 0 }, { name: { name: 'a' } }],
]

/** Every value of a body replaced by values of other kinds and sizes, and a field too many in each of its objects. */
export function mutationsOf(body: unknown): Mutation[] {
  return mutate(body, '').filter(({ field }) => field !== '' && !isFree(field))
}

/** Callers say themselves what is in there. */
const isFree = (field: string) => field.includes('.details.')

function mutate(value: unknown, field: string): Mutation[] {
  const others = strange.filter((other) => !isAlike(other, value, field)).map((other) => ({ body: other, field }))
  if (typeof value !== 'object' || value === null) return others
  const object = value as Record<string, unknown>
  const below = (name: string) => (field === '' ? name : `${field}.${name}`)
  const inner = Object.entries(object).flatMap(([name, part]) =>
    mutate(part, below(name)).map((mutation) => ({ ...mutation, body: { ...object, [name]: mutation.body } })),
  )
  const surplus = field.endsWith('details') ? [] : [{ body: { ...object, surplus: 1 }, field: below('surplus') }]
  return [...others, ...inner, ...surplus]
}

/** What the field may have as well: null is what is not there, and some fields take every value of their kind. */
function isAlike(other: unknown, value: unknown, field: string): boolean {
  if (other === null) return true
  if (field.endsWith('details')) return !Array.isArray(other) && typeof other === 'object'
  if (typeof other === 'boolean') return typeof value === 'boolean'
  return false
}
