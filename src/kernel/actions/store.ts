/** Starting actions on behalf of a Project. Statements of workers are in claims.ts, reading in history.ts. */

import type { Queries, Transaction } from '../data/db.ts'
import { insertRowsLate, lockAlong, preparedChanges, preparedStatements } from '../data/prepared.ts'
import { scoped } from '../data/scoped.ts'
import { ApiError } from '../errors.ts'
import { type AtOnce, after } from '../process/at-once.ts'
import { timestamp } from '../process/clock.ts'
import type { ProjectScope } from '../scope.ts'
import { type ActionDefinition, type ActionInput, keyOf, type ResourceRef } from './define.ts'
import { noteEnded, runningActions } from './history.ts'
import { readyAmong } from './ready.ts'
import { type Action, type ActionRow, changeOf, type ResourceLockRow } from './tables.ts'

/** One action to start. */
export interface ActionStart<Input extends ActionInput = ActionInput> {
  readonly definition: ActionDefinition<Input>
  readonly input: Input
  readonly resources: readonly ResourceRef[]
  /** Resources that no other action may lock while this one runs. */
  readonly locks?: readonly ResourceRef[]
  /** Resources whose earlier actions must end before this one runs. */
  readonly serial?: readonly ResourceRef[]
}

/** Erases the input type, so that starts of different actions fit in one list. */
export function toStart<Input extends ActionInput>(start: ActionStart<Input>): ActionStart {
  return start as unknown as ActionStart
}

/** The start of an action without steps on the given resources. */
export function recordOf(definition: ActionDefinition, ...resources: readonly ResourceRef[]): ActionStart {
  return { definition, input: {}, resources }
}

/** Starts one action in the caller's transaction. Errors: `locked` when a lock that it needs is held. */
export async function startAction<Input extends ActionInput>(
  tx: Transaction,
  scope: ProjectScope,
  start: ActionStart<Input>,
): Promise<Action> {
  return (await startActions(tx, scope, [toStart(start)]))[0]!
}

/**
 * Starts an action that nobody requested, unless one with the same definition is already running on its first resource.
 * A key lock ensures that only one of several processes starts it.
 */
export async function startActionUnless(tx: Transaction, scope: ProjectScope, start: ActionStart): Promise<void> {
  const [ref] = start.resources
  await tx.dialect.lockKeys([`once ${keyOf(start.definition)} ${ref!.type}:${ref!.id}`])?.execute(tx.query)
  const running = await runningActions(tx.query, scope, { type: ref!.type, resourceId: ref!.id, since: '' })
  if (running.some(({ definition }) => definition === keyOf(start.definition))) return
  await startActions(tx, scope, [start])
}

/** Starts several actions; serial ones run in this order. Errors: `locked`. */
export async function startActions(
  tx: Transaction,
  scope: ProjectScope,
  starts: readonly ActionStart[],
): Promise<Action[]> {
  if (starts.length === 0) return []
  await queueUp(tx, starts)
  const ids = await tx.drawIds(starts.length, { fresh: starts.some(({ serial = [] }) => serial.length > 0) })
  const made = starts.map((start, index) => newRow(tx, scope, start, ids[index]!))
  const running = made.flatMap(({ id, status }, index) => (status === 'running' ? [{ id, start: starts[index]! }] : []))
  const queued = running.map(({ id, start }) => ({ id, keys: keysOf(start) }))
  const { taken, left } = await readyAmong(tx, scope, queued)
  const held = taken.size > 0 ? tx.takers.actions!.held() : undefined
  const rows = held ? made.map((row) => (taken.has(row.id) ? { ...row, ...held } : row)) : made
  await insertRowsLate(tx, 'action', rows)
  const actions = rows.map((row, index) => ({ ...row, resources: starts[index]!.resources }))
  await noteEnded(
    tx,
    actions.filter(({ status }) => status !== 'running'),
  )
  await takeLocks(tx, scope, running)
  await insertRowsLate(
    tx,
    'action_serial',
    queued.flatMap(({ id, keys }) => keys.map((serial_key) => ({ serial_key, action_id: id }))),
  )
  if (tx.note) tx.note.started = [...tx.note.started, ...ids]
  if (scope.startedBy !== undefined) await noteStarted(tx, scope, scope.startedBy, ids)
  if (held) {
    tx.takers.actions!.begin(
      tx,
      rows.filter(({ id }) => taken.has(id)),
    )
  }
  for (const id of left) tx.signal('actions', String(id))
  for (const row of rows) tx.signal('changes', changeOf(row))
  return actions
}

/** Records that a token started actions. */
async function noteStarted(
  tx: Transaction,
  { projectId }: ProjectScope,
  tokenId: number,
  ids: readonly number[],
): Promise<void> {
  const rows = ids.map((action_id) => ({ project_id: projectId, action_id, token_id: tokenId }))
  await insertRowsLate(tx, 'token_action', rows)
}

const keyOfResource = ({ type, id }: ResourceRef) => `${type}:${id}`
const keysOf = ({ serial = [] }: ActionStart) => [...new Set(serial.map(keyOfResource))]

/**
 * Makes transactions that start serial actions on the same resource draw their ids one after another: an action with a
 * smaller id than one that is already visible would overtake it in the middle of its steps. Fresh ids come with the lock.
 */
async function queueUp(tx: Transaction, starts: readonly ActionStart[]): Promise<void> {
  const keys = new Set(starts.flatMap(({ serial = [] }) => serial.map(keyOfResource)))
  const lock = keys.size > 0 ? tx.dialect.lockKeys([...keys]) : undefined
  if (lock) await lockAlong(tx.query, lock)
}

function newRow(tx: Transaction, scope: ProjectScope, start: ActionStart, id: number): ActionRow {
  const done = start.definition.steps.length === 0
  const now = timestamp(tx.now)
  const row: ActionRow = {
    id,
    project_id: scope.projectId,
    definition: keyOf(start.definition),
    command: start.definition.command,
    status: done ? 'success' : 'running',
    progress: done ? 100 : 0,
    started: now,
    finished: done ? now : null,
    error_code: null,
    error_message: null,
    input: JSON.stringify(start.input),
    resources: JSON.stringify(start.resources),
    step: 0,
    phase: 'forward',
    worker: null,
    lease_until: null,
    fence: 0,
    attempts: 0,
    run_after: 0,
  }
  return tx.traceparent === undefined ? row : { ...row, traceparent: tx.traceparent }
}

/**
 * A lock that several actions of one start need is held by the last of them, which serial keys make the last to end.
 */
async function takeLocks(
  tx: Transaction,
  scope: ProjectScope,
  running: readonly { id: number; start: ActionStart }[],
): Promise<void> {
  const wanted = new Map<string, ResourceLockRow>()
  for (const { id, start } of running) {
    for (const ref of start.locks ?? []) {
      const lock = { type: ref.type, resource_id: ref.id, action_id: id, project_id: scope.projectId }
      wanted.set(keyOfResource(ref), lock)
    }
  }
  if (wanted.size === 0) return
  // Locks are taken in one order, so that two transactions never wait for each other.
  const inOrder = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, lock]) => lock)
  const given = {
    projectId: scope.projectId,
    types: inOrder.map(({ type }) => type),
    ids: inOrder.map(({ resource_id }) => resource_id),
    actions: inOrder.map(({ action_id }) => action_id),
  }
  const taken = await taking(tx.query, '', given, ({ projectId, types, ids, actions }) =>
    scoped(tx.query, { projectId })
      .insertInto(
        'resource_lock',
        types.map((type, at) => ({ type, resource_id: ids[at]!, action_id: actions[at]! })),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
  if (taken === inOrder.length) return
  for (const { type, resource_id, action_id } of inOrder) {
    const held = await locksOn(tx.query, scope, [type], [resource_id])
    if (held.some((lock) => lock.action_id !== action_id)) throw locked(type)
  }
  // Whoever had it has just released it.
  throw locked(inOrder[0]!.type)
}

/** Takes those locks that nobody holds. */
const taking = preparedChanges()

/** The refusal of what another action on a resource of a type is in the way of. */
export function locked(type: string): ApiError {
  return new ApiError('locked', `${type} is locked: an action is already running`)
}

/** The resources that running actions with a definition name first, of those actions that no worker has begun. */
export async function awaitedBy(
  query: Queries,
  scope: ProjectScope,
  definition: ActionDefinition,
): Promise<ReadonlySet<number>> {
  const running = await runningActions(query, scope, { since: '' })
  const waiting = running.filter((action) => action.definition === keyOf(definition) && action.fence === 0)
  return new Set(waiting.flatMap(({ resources }) => resources.slice(0, 1).map(({ id }) => id)))
}

/** Throws `locked` when an action locks the resource. */
export async function refuseLocked(query: Queries, scope: ProjectScope, ref: ResourceRef): Promise<void> {
  if ((await lockedIds(query, scope, ref.type, [ref.id])).has(ref.id)) throw locked(ref.type)
}

/** The ids of a type that are locked by actions, but for those of one action. */
export async function lockedByOthers(
  query: Queries,
  scope: ProjectScope,
  type: string,
  actionId: number | undefined,
): Promise<number[]> {
  const locks = await scoped(query, scope)
    .selectFrom('resource_lock')
    .select(['resource_id', 'action_id'])
    .where('type', '=', type)
    .execute()
  return locks.filter((lock) => lock.action_id !== actionId).map((lock) => lock.resource_id)
}

/** The subset of `ids` that are locked by an action, under a type or one of several. */
export function lockedIds(
  query: Queries,
  scope: ProjectScope,
  type: string | readonly string[],
  ids: readonly number[],
): AtOnce<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  return after(locksOn(query, scope, [type].flat(), ids), (rows) => new Set(rows.map((row) => row.resource_id)))
}

function locksOn(query: Queries, { projectId }: ProjectScope, types: readonly string[], ids: readonly number[]) {
  return locks(query, '', { projectId, types, ids }, ({ types, ids, ...scope }) =>
    scoped(query, scope)
      .selectFrom('resource_lock')
      .select(['resource_id', 'action_id'])
      .where('type', 'in', types)
      .where('resource_id', 'in', ids),
  )
}

const locks = preparedStatements<Pick<ResourceLockRow, 'resource_id' | 'action_id'>>()
