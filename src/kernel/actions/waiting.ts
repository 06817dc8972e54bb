/** Operators see with these what the actions of all Projects do, and what they wait for. Nothing here changes anything. */
import { sql } from 'kysely'
import type { Database, Queries } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import type { ProjectId } from '../scope.ts'
import { type ActionDefinition, keyOf } from './define.ts'
import { toAction } from './history.ts'
import type { Action, ResourceLockRow } from './tables.ts'

/** A running action is kept by one of these; [docs/operating/status.md] says what each means. */
export const holdUps = ['driver', 'lease', 'queue', 'backoff', 'time', 'worker', 'version'] as const
export type HoldUp = (typeof holdUps)[number]

/** A place in a serial queue, behind an action that has not ended. */
export interface Behind {
  readonly key: string
  readonly action: number
}

/** A running action with what it waits for. Times are milliseconds of the database's clock. */
export interface OpenAction extends Action {
  readonly waitsFor: HoldUp
  /** The name of the step that runs or comes next; null where no definition is known, or nothing is left to do. */
  readonly stepName: string | null
  readonly behind: Behind | null
  /** The end of a lease or of a pause; null for any other wait. */
  readonly until: number | null
}

/** The definitions by which a process knows what actions do. */
export type Definitions = ReadonlyMap<string, Pick<ActionDefinition, 'steps' | 'revert'>>

export const definitionsByKey = (all: readonly ActionDefinition[]): Definitions =>
  new Map(all.map((one) => [keyOf(one), one]))

/** Reads the clock by which leases and pauses last, in milliseconds. */
export async function databaseClock({ query, dialect }: Database): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${dialect.nowMs} as now`.execute(query)
  return Number(rows[0]!.now)
}

export interface OpenPage {
  readonly limit: number
  readonly projectId?: ProjectId | undefined
}

/** Lists the running actions of all Projects or of one, the oldest first. */
export async function openActionsOf(
  db: Database,
  definitions: Definitions,
  { limit, projectId }: OpenPage,
): Promise<OpenAction[]> {
  let asked = acrossProjects(db.query).selectFrom('action').selectAll().where('status', '=', 'running')
  if (projectId !== undefined) asked = asked.where('project_id', '=', projectId)
  const actions = (await asked.orderBy('id').limit(limit).execute()).map(toAction)
  return explain(db, definitions, actions)
}

/** An action of any Project; undefined where there is none. */
export async function actionById(query: Queries, id: number): Promise<Action | undefined> {
  const row = await acrossProjects(query).selectFrom('action').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toAction(row)
}

/** Says of running actions what they wait for. */
export async function explain(
  db: Database,
  definitions: Definitions,
  actions: readonly Action[],
): Promise<OpenAction[]> {
  if (actions.length === 0) return []
  const [nowMs, queues] = [await databaseClock(db), await queuesOf(db.query)]
  const firsts = new Map(queues.map(({ key, actions: [first] }) => [key, first!]))
  const places = new Map<number, Behind>()
  for (const { key, actions: all } of queues)
    for (const id of all.slice(1)) if (!places.has(id)) places.set(id, { key, action: firsts.get(key)! })
  return actions.map((action) => ({
    ...action,
    ...holdUpOf(action, nowMs, places.get(action.id), definitions.has(action.definition)),
    stepName: stepOf(action, definitions),
  }))
}

type HeldUp = Pick<OpenAction, 'waitsFor' | 'behind' | 'until'>

function holdUpOf(action: Action, nowMs: number, behind: Behind | undefined, isKnown: boolean): HeldUp {
  const { worker, lease_until: lease, run_after: pause, attempts } = action
  if (worker !== null && lease !== null)
    return { waitsFor: lease > nowMs ? 'driver' : 'lease', behind: null, until: lease }
  if (behind) return { waitsFor: 'queue', behind, until: null }
  if (pause > nowMs) return { waitsFor: attempts > 0 ? 'backoff' : 'time', behind: null, until: pause }
  return { waitsFor: isKnown ? 'worker' : 'version', behind: null, until: null }
}

function stepOf({ definition, phase, step }: Action, definitions: Definitions): string | null {
  const { steps } = definitions.get(definition) ?? {}
  if (phase === 'unwinding') return steps?.[step - 1] ? `${steps[step - 1]!.name} (undoing)` : null
  return steps?.[step]?.name ?? null
}

/** A serial queue with its actions in their order. */
export interface SerialQueue {
  readonly key: string
  readonly actions: readonly number[]
}

/** Lists all serial queues that are not empty. */
export async function queuesOf(query: Queries): Promise<SerialQueue[]> {
  const rows = await query
    .selectFrom('action_serial')
    .select(['serial_key', 'action_id'])
    .orderBy('serial_key')
    .orderBy('action_id')
    .execute()
  const byKey = Map.groupBy(rows, ({ serial_key }) => serial_key)
  return [...byKey].map(([key, some]) => ({ key, actions: some.map(({ action_id }) => Number(action_id)) }))
}

/** Lists the locks of all Projects. */
export async function locksOfAll(query: Queries): Promise<readonly ResourceLockRow[]> {
  return acrossProjects(query).selectFrom('resource_lock').selectAll().orderBy('type').orderBy('resource_id').execute()
}

/** Lists the actions that a worker holds, also one that no longer renews its leases. */
export async function heldActions(query: Queries): Promise<Action[]> {
  const held = acrossProjects(query).selectFrom('action').selectAll().where('status', '=', 'running')
  return (await held.where('worker', 'is not', null).orderBy('id').execute()).map(toAction)
}

/** The running actions of a Project. */
export interface ProjectQueue {
  readonly projectId: ProjectId
  readonly actions: number
  /** The number of them that a worker holds. */
  readonly held: number
  /** The start of the oldest. */
  readonly oldest: string
}

/** Counts the running actions by Project, those of the longest wait first. */
export async function queueByProject(query: Queries): Promise<ProjectQueue[]> {
  const rows = await acrossProjects(query)
    .selectFrom('action')
    .select(({ fn }) => [
      'project_id',
      fn.countAll().as('actions'),
      fn.count('worker').as('held'),
      fn.min('started').as('oldest'),
    ])
    .where('status', '=', 'running')
    .groupBy('project_id')
    .execute()
  return rows
    .map((row) => ({
      projectId: row.project_id,
      actions: Number(row.actions),
      held: Number(row.held),
      oldest: String(row.oldest),
    }))
    .sort((one, other) => (one.oldest < other.oldest ? -1 : 1))
}
