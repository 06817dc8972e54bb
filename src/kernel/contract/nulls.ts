/**
 * Null in a body. Clients in several languages send it for each field that nobody has set, so where null has no meaning of
 * its own it says that a field is not given (contract: Conventions).
 */
import type { Shape } from './field-checks.ts'

/** Takes the fields out of a value that are null and need not be there; the value itself is changed. */
export type NullsRemover = (value: unknown) => void

/** Makes the remover for values of a shape; undefined when no field of them can be left out. */
export function nullsRemover(shape: Shape): NullsRemover | undefined {
  const members = membersOf(shape)
  const fields = fieldsOf(members)
  const removable = new Set([...fields].filter(([, { isRemovable }]) => isRemovable).map(([name]) => name))
  const inFields = [...fields].flatMap(([name, { remove }]) => (remove ? [{ name, remove }] : []))
  const inItems = members.flatMap(({ items }) => (items && nullsRemover(items)) ?? [])
  if (removable.size + inFields.length + inItems.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const remove of inItems) value.forEach(remove)
      return
    }
    const given = value as Record<string, unknown>
    for (const name of Object.keys(given)) if (given[name] === null && removable.has(name)) delete given[name]
    for (const { name, remove } of inFields) remove(given[name])
  }
}

const membersOf = (shape: Shape): readonly Shape[] => [shape, ...(shape.anyOf ?? []).flatMap(membersOf)]

interface Field {
  readonly isRemovable: boolean
  readonly remove: NullsRemover | undefined
}

/** The fields of all members of a union: one of them that may be null in any member keeps its null. */
function fieldsOf(members: readonly Shape[]): ReadonlyMap<string, Field> {
  const all = members.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, shape]) => ({ name, shape, isOptional: !required.includes(name) })),
  )
  return new Map(
    [...Map.groupBy(all, ({ name }) => name)].map(([name, same]) => {
      const shapes = same.map(({ shape }) => shape)
      const isRemovable = same.some(({ isOptional }) => isOptional) && !shapes.some(mayBeNull)
      return [name, { isRemovable, remove: nullsRemover({ anyOf: shapes }) }]
    }),
  )
}

function mayBeNull({ type, anyOf, ...rest }: Shape): boolean {
  if (anyOf) return anyOf.some(mayBeNull)
  const values = [rest.const, ...(rest.enum ?? [])].filter((value) => value !== undefined)
  return type === 'null' || values.includes(null) || (type === undefined && values.length === 0)
}
