/**
 * Every statement that a worker makes on actions: claiming, advancing and ending them. Workers serve all Projects, so
 * these go by the action's id and its fence instead of by Project.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../data/db.ts'
import type { Dialect } from '../data/dialect.ts'
import { prepared, preparedAlong } from '../data/prepared.ts'
import { timestamp } from '../process/clock.ts'
import { noteEnded } from './history.ts'
import type { ActionRow } from './tables.ts'

/** How long a claim lasts without a heartbeat, in milliseconds of the database's clock. */
export const leaseMs = 15_000

/** Who claims, and what it is able to run: the action of a newer version is left to those who know it. */
export interface Claimant {
  readonly worker: string
  readonly definitions: readonly string[]
  readonly leaseMs: number
}

/**
 * Whether the database's clock has passed a column. A time that lies further ahead than any lease or pause reaches is
 * from before the clock was set back, and nobody waits for it.
 */
function isOver({ nowMs }: Dialect, column: 'run_after' | 'lease_until', lease: number): RawBuilder<boolean> {
  return sql`${sql.ref(column)} not between ${nowMs} + 1 and ${nowMs} + ${Math.max(60_000, 2 * lease)}`
}

/** Nothing that `free` has to wait for is before it. */
const isNext = sql`not exists (
  select 1 from action_serial as mine
  where mine.action_id = free.id and mine.action_id > (
    select min(first.action_id) from action_serial as first where first.serial_key = mine.serial_key
  )
)`

/**
 * Claims up to `limit` actions that nobody holds, oldest first; those that wait for an earlier one are left, and so are
 * those that the claimant has under way, should their leases have ended all the same. `among` narrows the search, which
 * otherwise looks through all that wait.
 */
export async function claimActions(
  db: Database,
  { worker, definitions, leaseMs: lease }: Claimant,
  limit: number,
  { underWay = [], among }: { readonly underWay?: readonly number[]; readonly among?: readonly number[] } = {},
): Promise<ActionRow[]> {
  if (definitions.length === 0) return []
  const { rows } = await db.transact((tx) =>
    sql<ActionRow>`
      with claimed as (
        select id from action as free
        where status = 'running' and ${isOver(tx.dialect, 'run_after', lease)}
          and (lease_until is null or ${isOver(tx.dialect, 'lease_until', lease)})
          and definition in (${sql.join(definitions)})
          ${underWay.length > 0 ? sql`and id not in (${sql.join(underWay)})` : sql``}
          ${among ? sql`and id in (${sql.join(among)})` : sql``}
          and ${isNext}
        order by id limit ${limit} ${tx.dialect.lockRows('skip')}
      )
      update action
      set worker = ${worker}, lease_until = ${tx.dialect.nowMs} + ${lease}, fence = fence + 1, attempts = attempts + 1
      where status = 'running' and id in (select id from claimed)
      returning *
    `.execute(tx.query),
  )
  return rows.sort((a, b) => a.id - b.id)
}

/** Thrown when another worker has taken the action over: the loser writes nothing more. */
export class LeaseLost extends Error {}

/** Changes a claimed action; nothing is written when the claim is no longer the newest. Errors: `LeaseLost`. */
export async function advance(
  tx: Transaction,
  { id, fence }: Pick<ActionRow, 'id' | 'fence'>,
  change: Partial<ActionRow>,
): Promise<void> {
  const result = await tx.query
    .updateTable('action')
    .set(change)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('status', '=', 'running')
    .executeTakeFirst()
  if (result.numUpdatedRows !== 1n) throw new LeaseLost(`action ${id} has been taken over`)
}

/**
 * Ends a claimed action for good: the fence first, then `effects`, and what it held is given back last. Requests take it
 * while they hold the resources that the effects write. Errors: `LeaseLost`.
 */
export async function finish(
  tx: Transaction,
  action: ActionRow,
  outcome: Pick<ActionRow, 'status'> & Partial<ActionRow>,
  effects: (tx: Transaction) => Promise<void> | undefined = () => undefined,
): Promise<void> {
  const end = { finished: timestamp(tx.now), worker: null, lease_until: null }
  const ended = { ...outcome, ...end, ...(outcome.status === 'success' ? { progress: 100 } : {}) }
  await advance(tx, action, ended)
  await effects(tx)
  await noteEnded(tx, [action])
  await unlock(tx.query, action.id)
  // Those that waited for this one can go on.
  for (const { next } of await leaveQueues(tx.query, action.id)) if (next !== null) tx.signal('actions', String(next))
}

const unlock = preparedAlong((query, id: number) => query.deleteFrom('resource_lock').where('action_id', '=', id))

/** Takes an action out of its queues, and tells who is next in each. */
const leaveQueues = prepared((query, id: number) =>
  query
    .deleteFrom('action_serial')
    .where('action_id', '=', id)
    .returning((of) =>
      of
        .selectFrom('action_serial as behind')
        .select((first) => first.fn.min<number | null>('behind.action_id').as('id'))
        .whereRef('behind.serial_key', '=', 'action_serial.serial_key')
        .whereRef('behind.action_id', '>', 'action_serial.action_id')
        .as('next'),
    ),
)

/** Extends the claims of `worker` on `ids`; returns those that it still holds. */
export async function extendLeases(
  db: Database,
  { worker, leaseMs: lease }: Pick<Claimant, 'worker' | 'leaseMs'>,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db.transact((tx) =>
    tx.query
      .updateTable('action')
      .set({ lease_until: sql<number>`${tx.dialect.nowMs} + ${lease}` })
      .where('worker', '=', worker)
      .where('status', '=', 'running')
      .where('id', 'in', ids)
      .returning('id')
      .execute(),
  )
  return new Set(rows.map((row) => row.id))
}

/** How a claim is given back. */
export interface Release {
  readonly delayMs: number
  /** Whether this claim counts among the attempts at the step. */
  readonly counts: boolean
}

/**
 * Gives a claim back so that any worker may go on with it, at once or after a delay. What its holder still has under way
 * comes too late from now on. Errors: `LeaseLost`.
 */
export async function release(
  tx: Transaction,
  action: Pick<ActionRow, 'id' | 'fence'>,
  { delayMs, counts }: Release,
): Promise<void> {
  await advance(tx, action, {
    worker: null,
    lease_until: null,
    fence: action.fence + 1,
    run_after: sql`${tx.dialect.nowMs} + ${Math.round(delayMs)}` as unknown as number,
    ...(counts ? {} : { attempts: sql`attempts - 1` as unknown as number }),
  })
}

/** Milliseconds until the first action that nobody holds may be claimed, less than 0 for now; undefined when there is none. */
export async function nextRepetition(db: Database, definitions: readonly string[]): Promise<number | undefined> {
  if (definitions.length === 0) return undefined
  const { nowMs } = db.dialect
  const { rows } = await sql<{ wait: number | null }>`
    select min(run_after) - ${nowMs} as wait from action as free
    where status = 'running' and lease_until is null and definition in (${sql.join(definitions)}) and ${isNext}
  `.execute(db.query)
  return rows[0]?.wait ?? undefined
}

/** How many running actions there are for definitions that this process does not have, by definition. */
export async function countUnknown(db: Database, definitions: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.query
    .selectFrom('action')
    .select(['definition', (count) => count.fn.countAll<number>().as('actions')])
    .where('status', '=', 'running')
    .where('definition', 'not in', definitions.length > 0 ? definitions : [''])
    .groupBy('definition')
    .execute()
  return new Map(rows.map((row) => [row.definition, row.actions]))
}

/** Forgets the claims of processes that cannot be alive, when this one is the only user of the database. */
export async function forgetLeases(db: Database): Promise<void> {
  if (db.dialect.shared) return
  await db.transact((tx) =>
    tx.query
      .updateTable('action')
      .set({ worker: null, lease_until: null, run_after: 0 })
      .where('status', '=', 'running')
      .execute(),
  )
}
