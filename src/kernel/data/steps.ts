/**
 * Reads what grows with a Project in statements that each give a bounded number of rows, so that other requests get their
 * turn in between. Rows that come or go meanwhile may be among those read or not, as with any two statements.
 */
import { type SelectQueryBuilder, sql } from 'kysely'
import { turnOfLong } from '../process/turns.ts'
import type { ProjectScope } from '../scope.ts'
import type { Queries, TenantTables } from './db.ts'
import { type Scoped, scoped, type TenantTable } from './scoped.ts'

/** The most rows, and the most ids asked for, of a statement. */
export const rowsAtOnce = 1_000

/** A relation of parents to any number of rows: their order within a parent has an index and is unique there. */
interface Relation<T extends TenantTable> {
  readonly table: T
  readonly parent: keyof TenantTables[T] & string
  readonly order: readonly (keyof TenantTables[T] & string)[]
}

type Row = Readonly<Record<string, number | string | null>>

/** The rows of some parents: by parent, and then in their order. Most relations are small and take one statement. */
export async function* rowsBelow<T extends TenantTable>(
  query: Queries,
  scope: ProjectScope,
  { table, parent, order }: Relation<T>,
  parents: readonly number[],
): AsyncGenerator<readonly TenantTables[T][]> {
  let left = [...new Set(parents)].sort((a, b) => a - b)
  let last: Row | undefined
  while (left.length > 0 || last) {
    const all = anyTable(query, scope, table)
    const some = last
      ? all.where(parent as string, '=', last[parent]!).where(past(order, last))
      : all.where(parent as string, 'in', left)
    const ordered = [parent, ...order].reduce((select, column) => select.orderBy(column), some)
    const rows = await ordered.limit(rowsAtOnce).execute()
    yield rows as unknown as readonly TenantTables[T][]
    const isOver = rows.length < rowsAtOnce
    if (isOver && !last) return
    // The rest of a parent is read before the parents after it.
    last = isOver ? undefined : rows.at(-1)!
    if (!last) continue
    left = left.filter((id) => id > (last![parent] as number))
    await turnOfLong()
  }
}

function anyTable(query: Queries, scope: ProjectScope, table: string) {
  const rows = scoped(query, scope) as unknown as Scoped<Record<string, Row>>
  return rows.selectFrom(table).selectAll() as unknown as SelectQueryBuilder<Record<string, Row>, string, Row>
}

/** The rows that follow one in an order of columns that all point the same way. */
export function past(columns: readonly string[], row: Row, { descending = false } = {}) {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const values = sql.join(columns.map((column) => row[column]))
  return descending ? sql<boolean>`(${names}) < (${values})` : sql<boolean>`(${names}) > (${values})`
}

/** What `read` gives for all of some things, of which it gets a bounded number at a time. */
export async function byChunks<T, Found>(
  all: readonly T[],
  read: (some: readonly T[]) => Promise<readonly Found[]> | readonly Found[],
  atOnce = rowsAtOnce,
): Promise<Found[]> {
  const found: Found[] = []
  for (let from = 0; from < all.length; from += atOnce) {
    for (const one of await read(all.slice(from, from + atOnce))) found.push(one)
  }
  return found
}
