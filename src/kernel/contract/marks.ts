/** Marks of fields in contracts, for those who keep or judge what requests hold. No client sees them. */
import type { TSchema } from 'typebox'
import type { Endpoint } from './contract.ts'

const secretMark = Symbol('secret')
const unreadMark = Symbol('unread')

interface Marked {
  readonly properties?: Readonly<Record<string, Marked>>
  readonly items?: Marked
  readonly anyOf?: readonly Marked[]
  readonly [secretMark]?: true
  readonly [unreadMark]?: true
}

/** Marks a field as one that holds a secret. Returns a copy, because other fields may use the same schema. */
export const secret = <T extends TSchema>(schema: T): T => marked(schema, secretMark)

/** Marks a field of bodies that is accepted, and that no operation reads. Returns a copy. */
export const unread = <T extends TSchema>(schema: T): T => marked(schema, unreadMark)

export function isUnread(schema: TSchema): boolean {
  return (schema as Marked)[unreadMark] === true
}

function marked<T extends TSchema>(schema: T, mark: symbol): T {
  return Object.defineProperties({} as T, { ...Object.getOwnPropertyDescriptors(schema), [mark]: { value: true } })
}

/** The names of all fields of some endpoints that hold secrets. */
export function secretFields(endpoints: Iterable<Endpoint>): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = ({ properties = {}, items, anyOf = [] }: Marked) => {
    for (const inner of items ? [items, ...anyOf] : anyOf) visit(inner)
    for (const [name, field] of Object.entries(properties)) {
      if (field[secretMark]) found.add(name)
      visit(field)
    }
  }
  for (const { body, reply } of endpoints) for (const schema of [body, reply]) if (schema) visit(schema as Marked)
  return found
}
