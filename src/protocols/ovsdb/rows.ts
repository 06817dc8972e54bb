/**
 * Values, conditions and operations as OVSDB writes them (RFC 7047, section 5). A database is known by its schema: an
 * interface with its tables by name, each an interface with its columns, so that no other name compiles.
 */

export type Uuid = readonly ['uuid' | 'named-uuid', string]
export type Atom = string | number | boolean | Uuid
/** OVSDB writes a set of one as the element itself. */
export type SetOf<A extends Atom> = A | readonly ['set', readonly A[]]
export type MapOf = readonly ['map', readonly (readonly [string, string])[]]
export type Value = SetOf<Atom> | MapOf

export type TableOf<Schema> = keyof Schema & string
/** A row of a table with all of its columns. */
export type RowOf<Schema, Table extends TableOf<Schema>> = Schema[Table] & { readonly _uuid: Uuid }
export type ColumnOf<Schema, Table extends TableOf<Schema>> = keyof RowOf<Schema, Table> & string
/** A row of a table with some of its columns. */
export type Part<Schema, Table extends TableOf<Schema>, Column extends ColumnOf<Schema, Table>> = Pick<
  RowOf<Schema, Table>,
  Column
>

/** A test of one column of a row. */
export type Condition<Row> = {
  [Column in keyof Row & string]: readonly [column: Column, test: '==' | 'includes' | 'excludes', value: Row[Column]]
}[keyof Row & string]

/** A change of one column of a row. */
export type Mutation<Row> = {
  [Column in keyof Row & string]: readonly [column: Column, mutator: 'insert' | 'delete' | '+=', value: Row[Column]]
}[keyof Row & string]

type Conditions = readonly Condition<Readonly<Record<string, unknown>>>[]

/** An operation that reads rows. */
export interface Select<Row = unknown> {
  readonly op: 'select'
  readonly table: string
  readonly where: Conditions
  readonly columns: readonly string[]
  /** Tells the compiler what the rows are; it is never there. */
  readonly _row?: Row
}

/** An operation as it is sent; `operationsOn` and `Change` write those that a schema allows. */
export type Operation =
  | Select
  | { readonly op: 'insert'; readonly table: string; readonly row: object; readonly 'uuid-name'?: string }
  | { readonly op: 'update'; readonly table: string; readonly where: Conditions; readonly row: object }
  | {
      readonly op: 'mutate'
      readonly table: string
      readonly where: Conditions
      readonly mutations: readonly unknown[]
    }
  | { readonly op: 'delete'; readonly table: string; readonly where: Conditions }
  | {
      readonly op: 'wait'
      readonly table: string
      readonly where: Conditions
      readonly columns: readonly string[]
      readonly until: '=='
      readonly rows: readonly object[]
      readonly timeout: 0
    }

/** Writes operations on the tables of a schema. */
export function operationsOn<Schema>() {
  return {
    select<Table extends TableOf<Schema>, Column extends ColumnOf<Schema, Table>>(
      table: Table,
      where: readonly Condition<RowOf<Schema, Table>>[],
      columns: readonly Column[],
    ): Select<Part<Schema, Table, Column>> {
      return { op: 'select', table, where, columns }
    },
    update<Table extends TableOf<Schema>>(
      table: Table,
      where: readonly Condition<RowOf<Schema, Table>>[],
      row: Partial<Schema[Table]>,
    ): Operation {
      return { op: 'update', table, where, row }
    },
    mutate<Table extends TableOf<Schema>>(
      table: Table,
      where: readonly Condition<RowOf<Schema, Table>>[],
      mutations: readonly Mutation<RowOf<Schema, Table>>[],
    ): Operation {
      return { op: 'mutate', table, where, mutations }
    },
  }
}

/** Text by text, as in `external_ids`. */
export type Texts = Readonly<Record<string, string>>

export const set = <A extends Atom>(atoms: readonly A[]): SetOf<A> => ['set', atoms]
export const uuid = (id: string): Uuid => ['uuid', id]
/** A row that the same transaction inserts. */
export const named = (name: string): Uuid => ['named-uuid', name]
export const map = (texts: Texts): MapOf => ['map', Object.entries(texts)]

/** The elements of a set. */
export function atomsOf<A extends Atom>(value: SetOf<A> | undefined): readonly A[] {
  if (value === undefined) return []
  return isSet(value) ? value[1] : [value]
}

function isSet<A extends Atom>(value: SetOf<A>): value is readonly ['set', readonly A[]] {
  return Array.isArray(value) && value[0] === 'set'
}

/** The ids of the rows that a column refers to. */
export const idsOf = (value: SetOf<Uuid> | undefined): string[] => atomsOf(value).map(([, id]) => id)

/** The entries of a map. */
export const entriesOf = (value: MapOf | undefined): Texts => Object.fromEntries(value?.[1] ?? [])

/** The row with an id. */
export const identified = (id: string) => ['_uuid', '==', uuid(id)] as const
/** Rows whose marks include these. */
export const marked = (texts: Texts) => ['external_ids', 'includes', map(texts)] as const
export const called = (name: string) => ['name', '==', name] as const
