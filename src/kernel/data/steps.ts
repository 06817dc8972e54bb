/**
 * Reads what grows with a Project in statements that each give a bounded number of rows, so that other requests get their
 * turn in between. Rows that come or go meanwhile may be among those read or not, as with any two statements.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type RawBuilder, sql } from 'kysely'
import { type AtOnce, inSteps, type Steps, value } from '../process/at-once.ts'
import { turnOfLong } from '../process/turns.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import type { Queries, TenantTables } from './db.ts'
import { handleOf, preparedStatements } from './prepared.ts'
import { type Scoped, scoped, type TenantTable } from './scoped.ts'

/** The most rows, and the most ids asked for, of a statement. */
export const rowsAtOnce = 250
/** The most rows that a statement packs. */
export const packedAtOnce = 1_000
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

/**
 * Hands the rows of some parents to `take`: by parent, and then in their order. Most relations are small and take one
 * statement.
 */
export function rowsBelow<T extends TenantTable>(
  query: Queries,
  scope: ProjectScope,
  relation: Relation<T>,
  parents: readonly number[],
  take: (rows: readonly TenantTables[T][]) => void,
): AtOnce<void> {
  return inSteps(stepsBelow(query, scope, relation, parents, take))
}

function* stepsBelow<T extends TenantTable>(
  query: Queries,
  { projectId }: ProjectScope,
  relation: Relation<T>,
  parents: readonly number[],
  take: (rows: readonly TenantTables[T][]) => void,
): Steps<void> {
  const { table, parent, order } = relation
  const most = onlySmall.getStore() ? rowsOfSmall : rowsAtOnce
  let left = ascending(parents)
  let last: TenantTables[T] | undefined
  while (left.length > 0 || last) {
    const rest = last && { parent: last[parent], values: order.map((column) => last![column]) }
    // One row more than is handed on tells whether there are others.
    const given = { projectId, rest, parents: rest ? undefined : left }
    const read: readonly TenantTables[T][] = yield* value(
      reads(query, `${table} ${most}`, given, (given) => below(query, relation, given).limit(most + 1)),
    )
    const isOver = read.length <= most
    if (!isOver && most < rowsAtOnce) throw new TooMuch()
    const rows = isOver ? read : read.slice(0, most)
    take(rows)
    if (isOver && !last) return
    // The rest of a parent is read before the parents after it.
    last = isOver ? undefined : rows.at(-1)
    if (!last) continue
    const reached = last[parent] as number
    left = left.filter((id) => id > reached)
    const wait = turnOfLong()
    if (wait) yield wait
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

/** A relation of which numbers alone are wanted: `order` has an index below `parent` and is unique there. */
interface Packing<T extends TenantTable, Name extends string> {
  readonly table: T
  readonly parent: keyof TenantTables[T] & string
  readonly order: keyof TenantTables[T] & string
  readonly numbers: Readonly<Record<Name, RawBuilder<number>>>
}

type AnyPacking = Readonly<Record<'table' | 'parent' | 'order', string>> & {
  readonly numbers: Readonly<Record<string, RawBuilder<number>>>
}

/** Numbers as a text like `1,2,3`, by name. */
export type Packed<Name extends string> = Readonly<Record<Name, string>>

/** The numbers of such a text. */
export const unpack = (packed: string): number[] => (packed === '' ? [] : packed.split(',').map(Number))

/** The most rows of a relation that are read as rows although numbers are wanted. */
const rowsUnpacked = 100

/**
 * Numbers of the rows below some parents, each in the order of the rows, by parent; parents without rows are missing. A large
 * relation is packed by the database: that takes a fraction of the time of reading its rows, leaves nothing behind, and is
 * compared with what was read before as fast as one value.
 */
export function packedBelow<T extends TenantTable, Name extends string>(
  query: Queries,
  scope: ProjectScope,
  packing: Packing<T, Name>,
  parents: readonly number[],
): AtOnce<ReadonlyMap<number, Packed<Name>>> {
  return inSteps(packInSteps(query, scope, packing, parents))
}

function* packInSteps<T extends TenantTable, Name extends string>(
  query: Queries,
  scope: ProjectScope,
  packing: Packing<T, Name>,
  parents: readonly number[],
): Steps<ReadonlyMap<number, Packed<Name>>> {
  const most = onlySmall.getStore() ? rowsOfSmall : rowsUnpacked
  const found = new Map<number, Packed<Name>>()
  let left = ascending(parents)
  let isLarge = false
  let packedSoFar = 0
  while (left.length > 0) {
    if (isLarge) {
      // Those after a large parent are often as large, and the read of several of them is long.
      const wait = packedSoFar++ > 0 ? turnOfLong() : undefined
      if (wait) yield wait
      const { count, packed } = yield* packedOf(query, scope, packing, left[0]!)
      if (count > 0) found.set(left[0]!, packed)
      isLarge = count > most
      left = left.slice(1)
      continue
    }
    const rows = yield* value(unpacked(query, scope, packing, { parents: left, limit: most + 1 }))
    isLarge = rows.length > most
    if (isLarge && most < rowsUnpacked) throw new TooMuch()
    const reached = isLarge ? rows.at(-1)!.parent : Number.POSITIVE_INFINITY
    for (const [parent, own] of Map.groupBy(rows, ({ parent }) => parent)) {
      if (parent < reached)
        found.set(
          parent,
          eachOf(packing, (name) => own.map((row) => row[name]).join(',')),
        )
    }
    left = left.filter((parent) => parent >= reached)
  }
  return found
}

const ascending = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b)

function eachOf<Name extends string, T>(
  { numbers }: { readonly numbers: Readonly<Record<Name, unknown>> },
  make: (name: Name) => T,
) {
  return Object.fromEntries(Object.keys(numbers).map((name) => [name, make(name as Name)])) as Record<Name, T>
}

type Unpacked = Readonly<Record<string, number>> & { readonly parent: number }

const unpackedReads = preparedStatements<Unpacked>()

/** The first rows of some parents, by parent and in their order. */
function unpacked(
  query: Queries,
  { projectId }: ProjectScope,
  packing: AnyPacking,
  { parents, limit }: { readonly parents: readonly number[]; readonly limit: number },
): AtOnce<readonly Unpacked[]> {
  const { table, parent, order } = packing
  return unpackedReads(query, `${table} ${limit}`, { projectId, parents }, (given) =>
    numbersOf(query, packing, given.projectId)
      .select(sql.ref(parent).as('parent'))
      .where(sql.ref(parent), 'in', given.parents)
      .orderBy(sql.ref(parent))
      .orderBy(sql.ref(order))
      .limit(limit),
  )
}

/** The columns of the rows of a relation that are numbers. */
function numbersOf(query: Queries, { table, numbers }: AnyPacking, projectId: ProjectId) {
  const tables = scoped(query, { projectId }) as unknown as Scoped<Record<string, Readonly<Record<string, Value>>>>
  return tables.selectFrom(table).select(Object.entries(numbers).map(([name, number]) => number.as(name)))
}

type Chunk = Readonly<Record<string, string>> & { readonly count: number; readonly last: number }

const chunks = preparedStatements<Chunk>()

/** The numbers of all rows of one parent, and how many rows there are. */
function* packedOf<T extends TenantTable, Name extends string>(
  query: Queries,
  { projectId }: ProjectScope,
  packing: Packing<T, Name>,
  parent: number,
): Steps<{ readonly count: number; readonly packed: Packed<Name> }> {
  const read: Chunk[] = []
  for (let after: number | undefined; ; after = read.at(-1)!.last) {
    const wait = after === undefined ? undefined : turnOfLong()
    if (wait) yield wait
    const [chunk]: readonly Chunk[] = yield* value(
      chunks(query, packing.table, { projectId, parent, after }, (given) => chunkOf(query, packing, given)),
    )
    if (chunk!.count > 0) read.push(chunk!)
    if (chunk!.count < packedAtOnce) break
  }
  const count = read.reduce((sum, chunk) => sum + chunk.count, 0)
  return { count, packed: eachOf(packing, (name) => read.map((chunk) => chunk[name]).join(',')) }
}

/** The next rows of one parent, as a single one. Both databases put together what a subquery gives in its order. */
function chunkOf(
  query: Queries,
  packing: AnyPacking,
  { projectId, parent, after }: Readonly<{ projectId: ProjectId; parent: number; after: number | undefined }>,
) {
  const all = numbersOf(query, packing, projectId).where(sql.ref(packing.parent), '=', parent)
  const rest = after === undefined ? all : all.where(sql.ref(packing.order), '>', after)
  const some = rest.select(sql.ref(packing.order).as('place')).orderBy(sql.ref(packing.order)).limit(packedAtOnce)
  // SQLite joins numbers without having been told to, in less time.
  const isSqlite = handleOf(query).engine === 'sqlite'
  const textOf = (name: string) => (isSqlite ? sql.ref(name) : sql`cast(${sql.ref(name)} as text)`)
  return query
    .selectFrom(some.as('some'))
    .select(Object.keys(packing.numbers).map((name) => sql`string_agg(${textOf(name)}, ',')`.as(name)))
    .select([sql`count(*)`.as('count'), sql`max(place)`.as('last')])
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
