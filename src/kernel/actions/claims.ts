/**
 * All statements that a worker makes on actions: claiming, advancing and ending them. Workers serve all Projects, so
 * these statements select by action id and fence instead of by Project (kernel/queue/leases.ts).
 */

import { type RawBuilder, sql } from 'kysely'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { prepared, preparedAlong } from '../data/prepared.ts'
import { acrossProjects } from '../data/scoped.ts'
import { type ClockEvent, timestamp } from '../process/clock.ts'
import {
  type Backlog,
  backlogOf,
  type Claimed,
  type ClaimOptions,
  claimWithin,
  claimWork,
  extendHeld,
  forgetClaims,
  projectsAfter,
  type Release,
  releaseHeld,
  type Search,
  type WorkTable,
  writeHeld,
} from '../queue/leases.ts'
import { eventsOfRows } from '../resource/clock-events.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { noteEnded } from './history.ts'
import { announce } from './ready.ts'
import { type ActionRow, changeOf } from './tables.ts'

/** The duration of a claim without a heartbeat, in milliseconds of the database's clock. */
export const leaseMs = 15_000

/** A worker and the definitions it can run. Actions of a newer version are left to workers that know them. */
export interface Claimant {
  readonly worker: string
  readonly definitions: readonly string[]
  /** True when there are no others, so that claims need not look for them. */
  readonly knowsAll?: boolean
  readonly leaseMs: number
  /** Longer than any lease or pause, in milliseconds. */
  readonly longestMs: number
}

const actions: WorkTable = {
  name: 'action',
  isOpen: sql`status = 'running'`,
  pause: 'run_after',
  lease: 'lease_until',
  unheld: { worker: null, lease_until: null },
  order: ['id'],
}

/** True for an action without an earlier action in any of its serial queues. */
const isNext = sql<boolean>`not exists (
  select 1 from action_serial as mine
  where mine.action_id = free.id and mine.action_id > (
    select min(first.action_id) from action_serial as first where first.serial_key = mine.serial_key
  )
)`

/** Counts the actions that have not ended, and finds when the oldest of them started. */
export async function openActions(query: Queries): Promise<Backlog> {
  return backlogOf(
    acrossProjects(query)
      .selectFrom('action')
      .select(({ fn }) => [fn.countAll().as('waiting'), fn.min('started').as('oldest')])
      .where('status', '=', 'running'),
  )
}

/** Claims up to `limit` free actions, oldest first. Actions behind an earlier one in a queue are left. */
export async function claimActions(
  db: Database,
  claimant: Claimant,
  limit: number,
  search: Search = {},
): Promise<Claimed<ActionRow>[]> {
  if (claimant.definitions.length === 0) return []
  const rows = await claimWork<ActionRow>(db, actions, optionsOf(claimant, limit, search))
  return rows.sort((a, b) => a.id - b.id)
}

/** Lists Projects that have running actions, those after a given one first. */
export function projectsWithActions(db: Database, after: ProjectId | undefined, limit: number) {
  return projectsAfter(db, actions, after, limit)
}

/** Claims those of some actions that are free and behind no other one, in the transaction that makes them ready. */
export async function claimAtOnce(
  tx: Transaction,
  claimant: Claimant,
  among: readonly number[],
): Promise<Claimed<ActionRow>[]> {
  const rows = await claimWithin<ActionRow>(tx, actions, optionsOf(claimant, among.length, { among }))
  return rows.sort((a, b) => a.id - b.id)
}

/** The claim of an action from a time of the database's clock on. */
export function heldFrom({ worker, leaseMs: lease }: Claimant, nowMs: number) {
  return { worker, lease_until: nowMs + lease }
}

function optionsOf(
  { worker, definitions, knowsAll = false, leaseMs: lease, longestMs }: Claimant,
  limit: number,
  search: Search,
): ClaimOptions {
  const common = { limit, leaseMs: lease, longestMs, search, set: { worker } }
  if (knowsAll) return { ...common, where: () => [isNext], form: 'next' }
  return { ...common, where: () => [sql<boolean>`definition in (${sql.join(definitions)})`, isNext] }
}

/** Changes a claimed action; writes nothing when there is a newer claim. Errors: `LeaseLost`. */
export async function advance(
  tx: Transaction,
  action: Pick<ActionRow, 'id' | 'fence' | 'project_id'>,
  change: Partial<ActionRow>,
): Promise<void> {
  await writeHeld(tx, actions, action, change)
  tx.signal('changes', changeOf(action))
}

/**
 * Ends a claimed action: checks the fence first, then runs `effects`, and releases its locks last. Requests take these
 * locks while they hold the resources that the effects write. Errors: `LeaseLost`.
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
  const queues = await nextInQueuesOf(tx.query, action.id)
  if (queues.length > 0) await leaveQueues(tx.query, action.id)
  await announce(
    tx,
    action.project_id,
    queues.flatMap(({ next }) => next ?? []),
  )
}

const unlock = preparedAlong((query, id: number) =>
  acrossProjects(query).deleteFrom('resource_lock').where('action_id', '=', id),
)

/** The action behind one in each of its queues. */
export const nextInQueuesOf = prepared((query, id: number) =>
  query
    .selectFrom('action_serial')
    .where('action_id', '=', id)
    .select((of) =>
      of
        .selectFrom('action_serial as behind')
        .select((first) => first.fn.min<number | null>('behind.action_id').as('id'))
        .whereRef('behind.serial_key', '=', 'action_serial.serial_key')
        .whereRef('behind.action_id', '>', 'action_serial.action_id')
        .as('next'),
    ),
)

const leaveQueues = preparedAlong((query, id: number) => query.deleteFrom('action_serial').where('action_id', '=', id))

/** Takes all actions of a Project, which go next, out of their queues. */
export async function leaveAllQueues(tx: Transaction, { projectId }: ProjectScope): Promise<void> {
  const own = acrossProjects(tx.query).selectFrom('action').select('id').where('project_id', '=', projectId)
  await acrossProjects(tx.query).deleteFrom('action_serial').where('action_id', 'in', own).execute()
  tx.signal('actions')
}

/** SQL condition: no action locks the resource of `type` whose id is in `column`. */
export function isUnlocked(type: string, column: string): RawBuilder<boolean> {
  return sql`not exists (
    select 1 from resource_lock where resource_lock.type = ${type} and resource_lock.resource_id = ${sql.ref(column)}
  )`
}

/** Extends the leases of `worker` on `ids`; returns the ids that it still holds. */
export async function extendLeases(
  db: Database,
  { worker, leaseMs: lease }: Pick<Claimant, 'worker' | 'leaseMs'>,
  ids: readonly number[],
): Promise<Set<number>> {
  return extendHeld(db, actions, sql`worker = ${worker}`, ids, lease)
}

/** Returns a claim, as `releaseHeld` does. Errors: `LeaseLost`. */
export async function release(tx: Transaction, action: Pick<ActionRow, 'id' | 'fence'>, how: Release): Promise<void> {
  await releaseHeld(tx, actions, action, how)
}

/**
 * Milliseconds until the first free action may be claimed that is not held, negative when it is overdue; undefined without
 * any.
 */
export async function nextRepetition(
  db: Database,
  definitions: readonly string[],
  held: readonly number[] = [],
): Promise<number | undefined> {
  if (definitions.length === 0) return undefined
  const { nowMs } = db.dialect
  const isFree = held.length === 0 ? sql`` : sql` and id not in (${sql.join(held)})`
  const { rows } = await sql<{ wait: number | null }>`
    select min(run_after) - ${nowMs} as wait from action as free
    where status = 'running' and lease_until is null and definition in (${sql.join(definitions)}) and ${isNext}${isFree}
  `.execute(db.query)
  return rows[0]?.wait ?? undefined
}

/** The next times at which actions go on that wait for a time of the database's clock, in order. */
export function pauseEnds(query: Queries, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const pauses = { table: 'action', column: 'run_after', holds: 'milliseconds', type: 'action' } as const
  return eventsOfRows(
    query,
    { ...pauses, event: 'action_goes_on', where: "status = 'running' and run_after > 0" },
    afterMs,
    limit,
  )
}

/** Counts the running actions whose definitions this process lacks, by definition. */
export async function countUnknown(db: Database, definitions: readonly string[]): Promise<Map<string, number>> {
  const rows = await acrossProjects(db.query)
    .selectFrom('action')
    .select(['definition', (count) => count.fn.countAll<number>().as('actions')])
    .where('status', '=', 'running')
    .where('definition', 'not in', definitions.length > 0 ? definitions : [''])
    .groupBy('definition')
    .execute()
  return new Map(rows.map((row) => [row.definition, row.actions]))
}

/** Drops the leases of dead processes when this process is the only user of the database. */
export async function forgetLeases(db: Database): Promise<void> {
  await forgetClaims(db, actions)
}
