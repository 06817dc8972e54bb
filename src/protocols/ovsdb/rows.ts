/** Values, conditions and operations as OVSDB writes them (RFC 7047, section 5). */

export type Atom = string | number | boolean | readonly ['uuid' | 'named-uuid', string]
export type Value = Atom | readonly ['set', readonly Atom[]] | readonly ['map', readonly (readonly [Atom, Atom])[]]
export type Row = Readonly<Record<string, Value>>
export type Condition = readonly [column: string, test: '==' | 'includes' | 'excludes', value: Value]
export type Mutation = readonly [column: string, mutator: 'insert' | 'delete' | '+=', value: Value]

export type Operation =
  | { readonly op: 'insert'; readonly table: string; readonly row: Row; readonly 'uuid-name'?: string }
  | {
      readonly op: 'select'
      readonly table: string
      readonly where: readonly Condition[]
      readonly columns: readonly string[]
    }
  | { readonly op: 'update'; readonly table: string; readonly where: readonly Condition[]; readonly row: Row }
  | {
      readonly op: 'mutate'
      readonly table: string
      readonly where: readonly Condition[]
      readonly mutations: readonly Mutation[]
    }
  | { readonly op: 'delete'; readonly table: string; readonly where: readonly Condition[] }
  | {
      readonly op: 'wait'
      readonly table: string
      readonly where: readonly Condition[]
      readonly columns: readonly string[]
      readonly until: '=='
      readonly rows: readonly Row[]
      readonly timeout: 0
    }

/** Text by text, as in `external_ids`. */
export type Texts = Readonly<Record<string, string>>

export const set = (atoms: readonly Atom[]): Value => ['set', atoms]
export const uuid = (id: string): Atom => ['uuid', id]
/** A row that the same transaction inserts. */
export const named = (name: string): Atom => ['named-uuid', name]
export const map = (texts: Texts): Value => ['map', Object.entries(texts)]

/** The elements of a set; OVSDB writes a set of one as the element itself. */
export function atomsOf(value: Value | undefined): readonly Atom[] {
  if (value === undefined) return []
  return isCollection(value, 'set') ? (value[1] as readonly Atom[]) : [value as Atom]
}

export const textsOf = (value: Value | undefined): string[] => atomsOf(value).map(String)

/** The ids of the rows that a column refers to. */
export const idsOf = (value: Value | undefined): string[] =>
  atomsOf(value).map((atom) => (atom as readonly string[])[1]!)

/** The entries of a map. */
export function entriesOf(value: Value | undefined): Texts {
  if (value === undefined || !isCollection(value, 'map')) return {}
  return Object.fromEntries(value[1] as readonly (readonly [string, string])[])
}

function isCollection(value: Value, kind: 'set' | 'map'): value is Exclude<Value, Atom> {
  return Array.isArray(value) && value[0] === kind
}

/** Rows whose marks include these. */
export const marked = (texts: Texts): Condition => ['external_ids', 'includes', map(texts)]
export const called = (name: string): Condition => ['name', '==', name]
