/** Requests that write are carried out alike on every kind of resource: in one transaction, which locks it first. */
import { actionToWire } from '../actions/routes.ts'
import { type ActionStart, refuseLocked, startAction } from '../actions/store.ts'
import { noteTouched } from '../audit/note.ts'
import { LaterReply } from '../contract/later.ts'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { ifSmall } from '../data/steps.ts'
import { ApiError } from '../errors.ts'
import type { ProjectScope } from '../scope.ts'
import { type DefaultLimits, enforceLimit } from './limits.ts'
import type { Resource, ResourceItem, ResourceTable } from './resource.ts'

/** A request about one resource. */
export interface OnOne {
  readonly scope: ProjectScope
  readonly params: { readonly id: number }
}

/**
 * The reply of a change, as `read` reads it. A small one is read in the transaction, so that what is committed can no
 * longer fail; a large one after the commit.
 */
export async function replyOf<Reply>(
  db: Database,
  tx: Transaction,
  read: (query: Queries) => Promise<Reply>,
): Promise<Reply | LaterReply<Reply>> {
  return (await ifSmall(() => read(tx.query))) ?? new LaterReply(() => read(db.query))
}

/** A resource that was added, and the reply that tells of it. */
export interface Added<Item, Reply> {
  readonly added: Item
  readonly reply: Reply
}

/** Does `work`, which adds a resource, in a transaction that counts it. Errors: `resource_limit_exceeded`; those of `work`. */
export function adding<T extends ResourceTable, P extends string, Item extends ResourceItem, Reply>(
  { db, limits }: { readonly db: Database; readonly limits: DefaultLimits },
  resource: Resource<T, P, Item>,
  scope: ProjectScope,
  work: (tx: Transaction) => Promise<Added<Item, Reply>>,
): Promise<Reply> {
  return db.transact(async (tx) => {
    tx.expectIds()
    await enforceLimit(tx, scope, resource, limits)
    const { added, reply } = await work(tx)
    noteTouched(tx, added.id)
    return reply
  })
}

/**
 * Deletes a resource on which no action is running; `leave` parts it from what hangs on it. `hold` takes what has to be
 * locked before the resource; what it returns is handed to `leave`. Errors: `not_found`, `protected`, `locked`; those of
 * both.
 */
export function removing<T extends ResourceTable, P extends string, Item extends ResourceItem, Held = undefined>(
  { db }: { readonly db: Database },
  resource: Resource<T, P, Item>,
  { scope, params: { id } }: OnOne,
  leave?: (tx: Transaction, item: Item, held: Held) => Promise<void>,
  hold?: (tx: Transaction) => Promise<Held>,
): Promise<void> {
  return db.transact(async (tx) => {
    const held = (await hold?.(tx)) as Held
    const item = await resource.lock(tx, scope, id)
    if (item.isProtected) throw new ApiError('protected', `${resource.title} deletion is protected`)
    await refuseLocked(tx.query, scope, resource.ref(id))
    await leave?.(tx, item, held)
    await resource.remove(tx, scope, item)
  })
}

/**
 * Changes a resource that nobody else can change meanwhile, and starts the action that follows from it. `hold` takes
 * what has to be locked before the resource; what it returns is handed to `work`. Errors: `not_found`; those of both.
 */
export async function act<T extends ResourceTable, P extends string, Item extends ResourceItem, Held = undefined>(
  { db }: { readonly db: Database },
  resource: Resource<T, P, Item>,
  { scope, params: { id } }: OnOne,
  work: (tx: Transaction, item: Item, held: Held) => Promise<ActionStart>,
  hold?: (tx: Transaction) => Promise<Held>,
) {
  const action = await db.transact(async (tx) => {
    const held = (await hold?.(tx)) as Held
    const item = await resource.lock(tx, scope, id)
    return startAction(tx, scope, await work(tx, item, held))
  })
  return { action: actionToWire(action) }
}

/**
 * Does a change of a resource that clients repeat on their own when another one is under way: they do so with what is
 * refused as `conflict`, and not with what is `locked`. Errors: `conflict` in place of `locked`; those of `work`.
 */
export async function conflicting<T>({ title }: { readonly title: string }, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'locked') throw error
    throw new ApiError('conflict', `another change of the ${title} is under way; please retry`, { cause: error })
  }
}
