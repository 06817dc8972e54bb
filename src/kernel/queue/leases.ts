/**
 * Work that lies in a table until a process does it. Whoever claims a row holds it for a while, its lease. Each claim has a
 * higher fence, and a write with an older one is refused: of several processes one does the work, and one that comes back
 * late changes nothing. Workers serve all Projects, so these statements go by id and fence instead of by Project.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database, EveryTable, Transaction } from '../data/db.ts'
import type { Dialect } from '../data/dialect.ts'
import type { ProjectId } from '../scope.ts'

/** What the row of any work has. */
export interface WorkRow {
  readonly id: number
  readonly project_id: ProjectId
  /** Grows with each claim: a write that carries an older one is refused. */
  readonly fence: number
  readonly attempts: number
}

/** A table of work. */
export interface WorkTable {
  readonly name: keyof EveryTable
  /** Whether a row is still to be done. */
  readonly isOpen: RawBuilder<boolean>
  /** The column with the database's time in milliseconds before which nobody claims a row. */
  readonly pause: string
  /** The column with the end of the lease, null while nobody has one; may be the same column. */
  readonly lease: string
  /** What a row has that nobody holds. */
  readonly unheld: Readonly<Record<string, unknown>>
  /** The columns in whose order rows are claimed. */
  readonly order: readonly string[]
}

/** What names a claim. */
export type Held = Pick<WorkRow, 'id' | 'fence'>

/** Thrown when somebody else has taken the work over: the loser writes nothing more. */
export class LeaseLost extends Error {}

/** Which rows are claimed, and how. */
export interface ClaimOptions {
  readonly limit: number
  /** How long the claim lasts, in milliseconds of the database's clock. */
  readonly leaseMs: number
  /** Longer than any lease or pause, in milliseconds. */
  readonly longestMs: number
  /** Narrows the search, besides `search`; the row is called `free`. */
  readonly where?: readonly RawBuilder<boolean>[]
  readonly search?: Search
  /** Columns that the claim sets besides. */
  readonly set?: Readonly<Record<string, unknown>>
}

/** Which rows a worker looks for. */
export interface Search {
  /** Those that it has under way are left, should their leases have ended all the same. */
  readonly underWay?: readonly number[]
  /** Only these, instead of all that wait. */
  readonly among?: readonly number[] | undefined
  /** Projects that have as much under way as they may. */
  readonly fullProjects?: readonly ProjectId[]
}

/** A claimed row, with the database's time of the claim in milliseconds. */
export type Claimed<Row extends WorkRow> = Row & { readonly claimed_at: number }

/**
 * Whether the database's clock has passed a column. A time that lies further ahead than any lease or pause reaches is
 * from before the clock was set back, and nobody waits for it.
 */
function isOver({ nowMs }: Dialect, column: string, longestMs: number): RawBuilder<boolean> {
  return sql`${sql.ref(column)} not between ${nowMs} + 1 and ${nowMs} + ${longestMs}`
}

/** Claims up to `limit` rows that nobody holds, in their order. */
export async function claimWork<Row extends WorkRow>(
  db: Database,
  table: WorkTable,
  { limit, leaseMs, longestMs, where = [], search = {}, set = {} }: ClaimOptions,
): Promise<Claimed<Row>[]> {
  const { name, isOpen, pause, lease, order } = table
  const { underWay = [], among, fullProjects = [] } = search
  const columns = order.map((column) => sql.ref(column))
  const assigned = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}, `)
  const { rows } = await db.transact(({ query, dialect }) => {
    const conditions = [
      isOpen,
      isOver(dialect, pause, longestMs),
      ...(lease === pause ? [] : [sql`(${sql.ref(lease)} is null or ${isOver(dialect, lease, longestMs)})`]),
      ...(underWay.length > 0 ? [sql`id not in (${sql.join(underWay)})`] : []),
      ...(among ? [sql`id in (${sql.join(among)})`] : []),
      ...(fullProjects.length > 0 ? [sql`project_id not in (${sql.join(fullProjects)})`] : []),
      ...where,
    ]
    return sql<Claimed<Row>>`
      with claimed as (
        select id from ${sql.table(name)} as free
        where ${sql.join(conditions, sql` and `)}
        order by ${sql.join(columns)} limit ${limit} ${dialect.lockRows('skip')}
      )
      update ${sql.table(name)}
      set ${sql.join(assigned, sql``)}${sql.ref(lease)} = ${dialect.nowMs} + ${leaseMs},
        fence = fence + 1, attempts = attempts + 1
      where ${isOpen} and id in (select id from claimed)
      returning *, ${dialect.nowMs} as claimed_at
    `.execute(query)
  })
  return rows
}

/** A table as the query builder sees it when only what all work has is known of it. */
function update({ query }: Transaction, { name, isOpen }: WorkTable) {
  return (query as unknown as Kysely<Record<string, WorkRow>>).updateTable(name as string).where(isOpen)
}

/** Changes a claimed row; nothing is written when the claim is no longer the newest. Errors: `LeaseLost`. */
export async function writeHeld(
  tx: Transaction,
  table: WorkTable,
  { id, fence }: Held,
  change: Readonly<Record<string, unknown>>,
): Promise<void> {
  const result = await update(tx, table).set(change).where('id', '=', id).where('fence', '=', fence).executeTakeFirst()
  if (result.numUpdatedRows !== 1n) throw new LeaseLost(`${table.name} ${id} has been taken over`)
}

/** How a claim is given back. */
export interface Release {
  readonly delayMs: number
  /** Whether this claim counts among the attempts. */
  readonly counts: boolean
}

/**
 * Gives a claim back so that any worker may go on with it, at once or after a delay. What its holder still has under way
 * comes too late from now on. Errors: `LeaseLost`.
 */
export async function releaseHeld(
  tx: Transaction,
  table: WorkTable,
  held: Held,
  { delayMs, counts }: Release,
  change: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await writeHeld(tx, table, held, {
    ...change,
    ...table.unheld,
    fence: held.fence + 1,
    [table.pause]: sql`${tx.dialect.nowMs} + ${Math.round(delayMs)}`,
    ...(counts ? {} : { attempts: sql`attempts - 1` }),
  })
}

/** Extends those of the claims on `ids` that `isHeld` says are the caller's; returns their ids. */
export async function extendHeld(
  db: Database,
  table: WorkTable,
  isHeld: RawBuilder<boolean>,
  ids: readonly number[],
  leaseMs: number,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db.transact((tx) =>
    update(tx, table)
      .set({ [table.lease]: sql`${tx.dialect.nowMs} + ${leaseMs}` })
      .where(isHeld)
      .where('id', 'in', ids)
      .returning('id')
      .execute(),
  )
  return new Set(rows.map(({ id }) => id))
}

/** Forgets the claims of processes that cannot be alive, when this one is the only user of the database. */
export async function forgetClaims(db: Database, table: WorkTable): Promise<void> {
  if (db.dialect.shared) return
  await db.transact((tx) =>
    update(tx, table)
      .set({ ...table.unheld, [table.pause]: 0 })
      .execute(),
  )
}

/** The pause after a failed attempt, in milliseconds: doubles each time, up to about `longestMs`. */
export function backoffMs(firstMs: number, attempts: number, longestMs = Number.POSITIVE_INFINITY): number {
  return Math.min(longestMs, firstMs * 2 ** (attempts - 1)) * (0.75 + Math.random() / 2)
}
