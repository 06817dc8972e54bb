/**
 * Handlers of every kind of resource have much in common: reading, changing and deleting, and starting actions. A
 * family takes those that fit and writes the others.
 */
import { actionToWire } from '../actions/routes.ts'
import { type ActionStart, refuseLocked, startAction } from '../actions/store.ts'
import { maxPerPage } from '../contract/contract.ts'
import { LaterReply } from '../contract/later.ts'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { byChunks, ifSmall } from '../data/steps.ts'
import { ApiError } from '../errors.ts'
import type { Faults } from '../process/faults.ts'
import type { ProjectScope } from '../scope.ts'
import { type DefaultLimits, enforceLimit } from './limits.ts'
import type { PageQuery } from './listing.ts'
import type { Resource, ResourceItem, ResourceTable } from './resource.ts'
import { beforeWrite, changedMeanwhile, optimistically } from './update.ts'

/** The parts of the platform that the handlers need. */
interface Parts {
  readonly db: Database
  readonly faults: Faults
  readonly limits: DefaultLimits
}

/** The reader of a resource. */
export interface Viewer {
  readonly scope: ProjectScope
  readonly isReadOnly: boolean
}

/** The wire forms of some resources, in order, with one read for all of them where more than their rows is needed. */
export type View<Item, Wire> = (
  items: readonly Item[],
  query: Queries,
  viewer: Viewer,
) => Promise<readonly Wire[]> | readonly Wire[]

interface OnOne {
  readonly scope: ProjectScope
  readonly params: { readonly id: number }
}

interface ListCall extends Viewer {
  readonly query: PageQuery
}

type UpdateOf<R> = R extends { update(tx: Transaction, scope: ProjectScope, before: never, change: infer C): unknown }
  ? C
  : never

interface UpdateCall<R> extends Viewer, OnOne {
  readonly body: UpdateOf<R>
}

/** The steps of an update's transaction before and after the row is written. */
interface UpdateHooks<Item, Body> {
  before?(tx: Transaction, scope: ProjectScope, body: Body): Promise<void>
  after?(tx: Transaction, scope: ProjectScope, item: Item, body: Body): Promise<void>
}

/** The handlers of `list`, `get` and `update`. */
export function resourceRoutes<T extends ResourceTable, P extends string, Item extends ResourceItem, Wire>(
  { db, faults }: Parts,
  resource: Resource<T, P, Item>,
  view: View<Item, Wire>,
  hooks: UpdateHooks<Item, UpdateOf<Resource<T, P, Item>>> = {},
) {
  const { type, path } = resource
  const reply = async (item: Item, query: Queries, viewer: Viewer) => {
    const [wire] = await view([item], query, viewer)
    return { [type]: wire } as { readonly [K in T]: Wire }
  }
  return {
    async list(call: ListCall) {
      const { items, pagination } = await resource.list(db.query, call.scope, call.query, filtersIn(call.query))
      const wires = await byChunks(items, (some) => view(some, db.query, call), maxPerPage)
      return { [path]: wires, meta: { pagination } } as { readonly [K in P]: Wire[] } & {
        readonly meta: { readonly pagination: typeof pagination }
      }
    },

    get: async (call: Viewer & OnOne) =>
      reply(await resource.get(db.query, call.scope, call.params.id), db.query, call),

    update(call: UpdateCall<Resource<T, P, Item>>) {
      const { scope, params, body } = call
      return optimistically(resource, params.id, async () => {
        const before = await resource.get(db.query, scope, params.id)
        await beforeWrite(faults, type)
        return db.transact(async (tx) => {
          await hooks.before?.(tx, scope, body)
          const after = await resource.update(tx, scope, before, body)
          if (after === changedMeanwhile) return after
          await hooks.after?.(tx, scope, after, body)
          return replyOf(db, tx, (query) => reply(after, query, call))
        })
      })
    },
  }
}

const listParams = new Set(['page', 'per_page', 'sort', 'name', 'label_selector'])

/** The query parameters that a family adds to its list are columns of the same name. */
function filtersIn(query: object): Record<string, readonly (string | number)[] | undefined> {
  const own = Object.entries(query).filter(([name]) => !listParams.has(name))
  return Object.fromEntries(
    own.map(([name, value]) => [name, value === undefined || Array.isArray(value) ? value : [value]]),
  )
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

/** Does `work`, which adds a resource, in a transaction that counts it. Errors: `resource_limit_exceeded`; those of `work`. */
export function adding<T extends ResourceTable, P extends string, Item extends ResourceItem, Result>(
  { db, limits }: Parts,
  resource: Resource<T, P, Item>,
  scope: ProjectScope,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return db.transact(async (tx) => {
    await enforceLimit(tx, scope, resource, limits)
    return work(tx)
  })
}

/**
 * The handler that deletes a resource on which no action is running; `leave` parts it from what hangs on it. `hold` takes
 * what has to be locked before the resource; what it returns is handed to `leave`. Errors: `not_found`, `protected`,
 * `locked`; those of both.
 */
export function removal<T extends ResourceTable, P extends string, Item extends ResourceItem, Held = undefined>(
  { db }: Parts,
  resource: Resource<T, P, Item>,
  leave?: (tx: Transaction, scope: ProjectScope, item: Item, held: Held) => Promise<void>,
  hold?: (tx: Transaction, scope: ProjectScope, id: number) => Promise<Held>,
): (call: OnOne) => Promise<void> {
  return ({ scope, params: { id } }) =>
    db.transact(async (tx) => {
      const held = (await hold?.(tx, scope, id)) as Held
      const item = await resource.lock(tx, scope, id)
      if (item.isProtected) throw new ApiError('protected', `${resource.title} deletion is protected`)
      await refuseLocked(tx.query, scope, resource.ref(id))
      await leave?.(tx, scope, item, held)
      await resource.remove(tx, scope, item)
    })
}

/**
 * Changes a resource that nobody else can change meanwhile, and starts the action that follows from it. `hold` takes
 * what has to be locked before the resource; what it returns is handed to `work`. Errors: `not_found`; those of both.
 */
export async function act<T extends ResourceTable, P extends string, Item extends ResourceItem, Held = undefined>(
  { db }: Pick<Parts, 'db'>,
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
