/**
 * Reads what grows with a Project in statements that each give a bounded number of rows, so that other requests get their
 * turn in between. Rows that come or go meanwhile may be among those read or not, as with any two statements.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import { type AtOnce, inSteps, type Steps, value } from '../process/at-once.ts'
import { turnOfLong } from '../process/turns.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import type { Queries, TenantTables } from './db.ts'
import { preparedStatements } from './prepared.ts'
import { type Scoped, scoped, type TenantTable } from './scoped.ts'

/** The most rows, and the most ids asked for, of a statement. */
export const rowsAtOnce = 1_000
/** The most rows of a relation that what is small has. */
const rowsOfSmall = 20

const onlySmall = new AsyncLocalStorage<true>()

/** A relation has more rows than small ones do. */
class TooMuch extends Error {}

/** Returns the result of `read`, which may read few rows of each relation; undefined where there are more. */
export async function ifSmall<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await onlySmall.run(true, read)
  } catch (error) {
    if (error instanceof TooMuch) return undefined
    throw error
  }
}

/** A relation of parents to any number of rows: their order within a parent has an index and is unique there. */
interface Relation<T extends TenantTable> {
  readonly table: T
  readonly parent: keyof TenantTables[T] & string
  readonly order: readonly (keyof TenantTables[T] & string)[]
}

type AnyRelation = Readonly<Record<'table' | 'parent', string>> & { readonly order: readonly string[] }

type Value = number | string | null

const reads = preparedStatements<never>()

/** The rows of some parents: by parent, and then in their order. Most relations are small and take one statement. */
export async function* rowsBelow<T extends TenantTable>(
  query: Queries,
  { projectId }: ProjectScope,
  relation: Relation<T>,
  parents: readonly number[],
): AsyncGenerator<readonly TenantTables[T][]> {
  const { table, parent, order } = relation
  const most = onlySmall.getStore() ? rowsOfSmall : rowsAtOnce
  let left = [...new Set(parents)].sort((a, b) => a - b)
  let last: TenantTables[T] | undefined
  while (left.length > 0 || last) {
    const rest = last && { parent: last[parent], values: order.map((column) => last![column]) }
    // One row more than is handed on tells whether there are others.
    const read = await reads(
      query,
      `${table} ${most}`,
      { projectId, rest, parents: rest ? undefined : left },
      (given) => below(query, relation, given).limit(most + 1),
    )
    const isOver = read.length <= most
    if (!isOver && most < rowsAtOnce) throw new TooMuch()
    const rows = isOver ? read : read.slice(0, most)
    yield rows
    if (isOver && !last) return
    // The rest of a parent is read before the parents after it.
    last = isOver ? undefined : rows.at(-1)
    if (!last) continue
    const reached = last[parent] as number
    left = left.filter((id) => id > reached)
    await turnOfLong()
  }
}

/** The first rows of some parents, or those of one parent past some values. */
function below(query: Queries, { table, parent, order }: AnyRelation, { projectId, rest, parents }: Below) {
  const tables = scoped(query, { projectId }) as unknown as Scoped<Record<string, Readonly<Record<string, Value>>>>
  const all = tables.selectFrom(table).selectAll()
  const some = rest
    ? all.where(parent, '=', rest.parent as Value).where(past(order, rest.values))
    : all.where(parent, 'in', parents!)
  return [parent, ...order].reduce((select, column) => select.orderBy(column), some)
}

interface Below {
  readonly projectId: ProjectId
  readonly rest: { readonly parent: unknown; readonly values: readonly unknown[] } | undefined
  readonly parents: readonly number[] | undefined
}

/** The rows that follow the one with some values in an order of columns that all point the same way. */
export function past(columns: readonly string[], values: readonly unknown[], { descending = false } = {}) {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  return descending
    ? sql<boolean>`(${names}) < (${sql.join(values)})`
    : sql<boolean>`(${names}) > (${sql.join(values)})`
}

/** Returns the results of `read` for all items, of which it gets a bounded number at a time. */
export function byChunks<T, Found>(
  all: readonly T[],
  read: (some: readonly T[]) => AtOnce<readonly Found[]>,
  atOnce = rowsAtOnce,
): AtOnce<readonly Found[]> {
  return all.length > 0 && all.length <= atOnce ? read(all) : inSteps(inChunks(all, read, atOnce))
}

function* inChunks<T, Found>(
  all: readonly T[],
  read: (some: readonly T[]) => AtOnce<readonly Found[]>,
  atOnce: number,
): Steps<readonly Found[]> {
  const found: Found[] = []
  for (let from = 0; from < all.length; from += atOnce) {
    for (const one of yield* value(read(all.slice(from, from + atOnce)))) found.push(one)
  }
  return found
}
