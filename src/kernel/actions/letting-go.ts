/**
 * An operator lets go here of what keeps actions: pauses, leases, locks and places in queues. Each says in a sentence why it
 * refuses. Whoever held something finds a newer fence, and writes nothing more.
 */
import type { Transaction } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import { LeaseLost } from '../queue/leases.ts'
import { advance, nextInQueuesOf, release } from './claims.ts'
import { type ActionDefinition, keyOf, type ResourceRef } from './define.ts'
import { announce } from './ready.ts'
import { startAction } from './store.ts'
import type { Action } from './tables.ts'
import { actionById } from './waiting.ts'

/** Nothing was changed. The message is a sentence for the operator. */
export class NotLetGo extends Error {}

/** An action for a change of it, with its row locked. Errors: `NotLetGo` where there is none. */
async function lockedAction(tx: Transaction, id: number): Promise<Action> {
  const action = await actionById(tx.query, id)
  if (!action) throw new NotLetGo(`there is no action ${id}`)
  return action
}

/** Takes a running action from its worker, whose writes are refused from then on. Errors: `NotLetGo`. */
export async function releaseLease(tx: Transaction, id: number): Promise<Action> {
  const action = await lockedAction(tx, id)
  if (action.status !== 'running') throw new NotLetGo(`action ${id} has ended: nobody holds it`)
  if (action.worker === null) throw new NotLetGo(`nobody holds action ${id}`)
  await unlessMoved(id, release(tx, action, { counts: false }))
  tx.signal('actions', String(id))
  return action
}

/** The claim may have changed since it was read. */
async function unlessMoved<T>(id: number, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof LeaseLost) throw new NotLetGo(`action ${id} has just changed: look again`)
    throw error
  }
}

/**
 * Lets an action go on that waits before another attempt, with all of its attempts again; or starts one anew that failed, where
 * that is safe. Returns the action that runs. Errors: `NotLetGo`; `locked` where another action has its resources.
 */
export async function retryAction(
  tx: Transaction,
  id: number,
  definitionOf: (key: string) => ActionDefinition | undefined,
): Promise<Action> {
  const action = await lockedAction(tx, id)
  if (action.status === 'success') throw new NotLetGo(`action ${id} has ended well: there is nothing to do again`)
  if (action.status === 'error') return startAgain(tx, action, definitionOf(action.definition))
  if (action.worker !== null)
    throw new NotLetGo(`${action.worker} runs action ${id}: wolke leases release ${id} takes it away`)
  // An action that has paused before has taken its time.
  await unlessMoved(id, advance(tx, action, { run_after: 1, attempts: 0 }))
  tx.signal('actions', String(id))
  return action
}

/**
 * An action that gave up has reverted what was wanted, so that its steps would bring about the state from before it. Those
 * without a revert want the same as ever, and each of their steps passes all of it on.
 */
async function startAgain(tx: Transaction, action: Action, definition: ActionDefinition | undefined): Promise<Action> {
  const { id, command, project_id: projectId, resources } = action
  if (!definition) throw new NotLetGo(`action ${id} is one of another version: this one does not know ${command}`)
  if (definition.revert || definition.steps.some(({ undo }) => undo))
    throw new NotLetGo(
      `action ${id} (${command}) has failed, and what it wanted was taken back: ask for it again through the API, as its Project did`,
    )
  const input = JSON.parse(action.input)
  // Nobody knows any more what it had locked, which is at most all that it names.
  return startAction(tx, { projectId }, { definition, input, resources, locks: resources, serial: resources })
}

/** The action that has a lock. */
async function holderOf(tx: Transaction, { type, id }: ResourceRef): Promise<number> {
  const lock = await acrossProjects(tx.query)
    .selectFrom('resource_lock')
    .select('action_id')
    .where('type', '=', type)
    .where('resource_id', '=', id)
    .executeTakeFirst()
  if (!lock) throw new NotLetGo(`no action locks ${type} ${id}`)
  return Number(lock.action_id)
}

/**
 * Refuses to take something from an action while a worker runs it, or one before it in its queues: several that were started
 * together count on what the last of them has. Errors: `NotLetGo`.
 */
async function refuseHeld(tx: Transaction, id: number): Promise<Action | undefined> {
  const action = await actionById(tx.query, id)
  const [held] = await acrossProjects(tx.query)
    .selectFrom('action')
    .select(['id', 'worker'])
    .where('status', '=', 'running')
    .where('worker', 'is not', null)
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('id', '=', id),
        eb(
          'id',
          'in',
          selectFrom('action_serial as mine')
            .innerJoin('action_serial as before', 'before.serial_key', 'mine.serial_key')
            .select('before.action_id')
            .where('mine.action_id', '=', id)
            .whereRef('before.action_id', '<', 'mine.action_id'),
        ),
      ]),
    )
    .orderBy('id')
    .limit(1)
    .execute()
  if (held)
    throw new NotLetGo(
      `${held.worker} runs action ${held.id}, which counts on it: first wolke leases release ${held.id}`,
    )
  return action
}

/** Unlocks a resource, whose action goes on without the lock. Returns that action. Errors: `NotLetGo`. */
export async function releaseLock(tx: Transaction, ref: ResourceRef): Promise<{ id: number; action?: Action }> {
  const id = await holderOf(tx, ref)
  const action = await refuseHeld(tx, id)
  await acrossProjects(tx.query)
    .deleteFrom('resource_lock')
    .where('type', '=', ref.type)
    .where('resource_id', '=', ref.id)
    .where('action_id', '=', id)
    .execute()
  return action ? { id, action } : { id }
}

/** Takes the first action out of a serial queue, so that those behind it go on. Returns it. Errors: `NotLetGo`. */
export async function releaseQueue(tx: Transaction, key: string): Promise<{ id: number; action?: Action }> {
  const first = await tx.query
    .selectFrom('action_serial')
    .select('action_id')
    .where('serial_key', '=', key)
    .orderBy('action_id')
    .limit(1)
    .executeTakeFirst()
  if (!first) throw new NotLetGo(`nothing waits in the queue ${key}`)
  const id = Number(first.action_id)
  const action = await refuseHeld(tx, id)
  const next = (await nextInQueuesOf(tx.query, id)).flatMap((one) => one.next ?? [])
  await tx.query.deleteFrom('action_serial').where('serial_key', '=', key).where('action_id', '=', id).execute()
  if (action) await announce(tx, action.project_id, next)
  return action ? { id, action } : { id }
}

/** The keys under which families know the definitions of their actions. */
export const definitionIn = (all: readonly ActionDefinition[]) => (key: string) => all.find((one) => keyOf(one) === key)
