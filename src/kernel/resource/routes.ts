/** The handlers that every kind of resource has alike. A family takes those that fit and writes the others. */
import { maxPerPage } from '../contract/contract.ts'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { byChunks } from '../data/steps.ts'
import { type AtOnce, after, inSteps, value } from '../process/at-once.ts'
import type { Faults } from '../process/faults.ts'
import type { ProjectScope } from '../scope.ts'
import type { PageQuery } from './listing.ts'
import type { Resource, ResourceItem, ResourceTable } from './resource.ts'
import { beforeWrite, changedMeanwhile, optimistically } from './update.ts'
import { type OnOne, replyOf } from './work.ts'

/** The parts of the platform that the handlers need. */
interface Parts {
  readonly db: Database
  readonly faults: Faults
}

/** The reader of a resource. */
export interface Viewer {
  readonly scope: ProjectScope
  readonly isReadOnly: boolean
}

/** The wire forms of some resources, in order, with one read for all of them where more than their rows is needed. */
export type View<Item, Wire> = (items: readonly Item[], query: Queries, viewer: Viewer) => AtOnce<readonly Wire[]>

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
  const reply = (item: Item, query: Queries, viewer: Viewer) =>
    after(view([item], query, viewer), ([wire]) => ({ [type]: wire }) as { readonly [K in T]: Wire })
  function* list(call: ListCall) {
    const listed = resource.list(db.query, call.scope, call.query, filtersIn(call.query))
    const { items, pagination } = yield* value(listed)
    const wires = yield* value(byChunks(items, (some) => view(some, db.query, call), maxPerPage))
    return { [path]: wires, meta: { pagination } } as { readonly [K in P]: Wire[] } & {
      readonly meta: { readonly pagination: typeof pagination }
    }
  }
  return {
    list: (call: ListCall) => inSteps(list(call)),

    get: (call: Viewer & OnOne) =>
      after(resource.get(db.query, call.scope, call.params.id), (item) => reply(item, db.query, call)),

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
          return replyOf(db, tx, async (query) => reply(after, query, call))
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
