/** Endpoints that read actions, for all actions and for each family (spec: Actions, Action history). */
import type { Static } from 'typebox'
import { beyondSelector } from '../access/token-scope.ts'
import { inEffect, kernelChanges } from '../contract/changes.ts'
import type { ApiCall, Handlers, Sort } from '../contract/contract.ts'
import type { Database } from '../data/db.ts'
import { notFound } from '../errors.ts'
import { parseId } from '../ids.ts'
import type { Clock } from '../process/clock.ts'
import { numberPage, type PageRequest, pageOf } from '../resource/listing.ts'
import type { ProjectScope } from '../scope.ts'
import type { ActionSchema, actionEndpoints, familyActionEndpoints } from './contract.ts'
import { type ActionFilter, actionsByIds, historyStart, pageOfActions } from './history.ts'
import type { Action } from './tables.ts'
import { visibleTo } from './visible.ts'

/** The wire form of an action. */
export function actionToWire(action: Action): Static<typeof ActionSchema> {
  const { id, command, status, progress, started, finished, resources, error_code, error_message } = action
  return {
    id,
    command,
    status,
    progress,
    started,
    finished,
    resources: resources.map((ref) => ({ id: ref.id, type: ref.type })),
    // The row has an error as soon as unwinding begins, but a running action must not show one.
    error: status !== 'error' || error_code === null ? null : { code: error_code, message: error_message ?? '' },
  }
}

interface Reader {
  readonly db: Database
  readonly clock: Clock
  /** The path of the family whose resources are of a type. */
  readonly familyOf: (type: string) => string
  /** Lets time pass until something is over, in a lab whose clock skips. */
  readonly skip?: ((isOver: () => Promise<boolean>) => Promise<void>) | undefined
}

/** Reads actions. Where time skips, it passes until none of them runs any more. */
async function current(reader: Reader, read: () => Promise<Action[]>): Promise<Action[]> {
  const found = await read()
  const isRunning = ({ status }: Action) => status === 'running'
  if (!reader.skip || !found.some(isRunning)) return found
  await reader.skip(async () => !(await read()).some(isRunning))
  return read()
}

type Query = Omit<ActionFilter, 'since'>

/** The filter as of the present date. */
function asOfNow({ clock }: Reader, filter: Query): ActionFilter {
  const now = clock.now()
  return { ...filter, since: inEffect(kernelChanges.action_history_limited, now) ? historyStart(now) : '' }
}

/** The caller and the scope of a read. */
type ReadCall = Pick<ApiCall<(typeof actionEndpoints)['get']>, 'scope' | 'caller'>
type AskedPage = ReadCall & { readonly query: PageRequest & { readonly sort: readonly Sort[] } }

/** A page of the actions of one resource that the caller sees. */
async function pageOfOne(reader: Reader, { scope, query }: AskedPage, filter: Query) {
  const found = await current(reader, () => pageOfActions(reader.db, scope, asOfNow(reader, filter), query))
  const actions = found.slice(0, query.per_page).map(actionToWire)
  return { actions, meta: { pagination: numberPage(query, found.length) } }
}

/** A page of actions, whoever's they are. Errors: `forbidden` for who sees only some. */
async function readPage(reader: Reader, asked: AskedPage, filter: Query) {
  const { limits } = asked.caller
  if (limits?.within) throw beyondSelector(limits, 'ask for actions by their ids, or for those of one resource')
  return pageOfOne(reader, asked, filter)
}

/** The actions with the given ids that the caller sees. */
async function readSome(
  reader: Reader,
  { scope, caller }: ReadCall,
  ids: readonly number[],
  filter: Query,
  sort: readonly Sort[] = [],
) {
  const { query } = reader.db
  const actions = await current(reader, () => actionsByIds(query, scope, ids, asOfNow(reader, filter), sort))
  return caller.limits ? visibleTo(caller.limits, query, scope, actions, reader.familyOf) : actions
}

async function readOne(reader: Reader, asked: ReadCall, id: number, filter: Query = {}) {
  const [action] = await readSome(reader, asked, [id], filter)
  if (!action) throw notFound('action', id)
  return { action: actionToWire(action) }
}

/** Handlers of the endpoints for the actions of all families. */
export function actionRoutes(reader: Reader): Handlers<typeof actionEndpoints> {
  return {
    async list(call) {
      const { id, status, sort } = call.query
      if (!id) return readPage(reader, call, { statuses: status })
      const actions = await readSome(reader, call, id, { statuses: status }, sort)
      return { actions: actions.map(actionToWire) }
    },
    get: (call) => readOne(reader, call, call.params.id),
  }
}

/** Finds the resource that a path names by id or name. Errors: `not_found`. */
export type FindResource = (scope: ProjectScope, key: number | string) => Promise<{ readonly id: number }>

/** Handlers of a family's action endpoints. `type` is the resource type. */
export function familyActionRoutes<Family extends string>(
  reader: Reader,
  type: string,
  find: FindResource,
): Handlers<ReturnType<typeof familyActionEndpoints<Family>>> {
  const keyIn = (params: object) => (params as { id?: number }).id ?? (params as { id_or_name: string }).id_or_name
  const idIn = async (scope: ProjectScope, params: object) => {
    const key = keyIn(params)
    // Actions of a deleted resource are still found by its id.
    const id = typeof key === 'number' ? key : parseId(key)
    return id ?? (await find(scope, key)).id
  }
  const handlers: Handlers<ReturnType<typeof familyActionEndpoints<'family'>>> = {
    async listFamilyActions(call) {
      const { query } = call
      const filter = { type, statuses: query.status }
      if (!query.id) return readPage(reader, call, filter)
      const { rows, pagination } = pageOf(await readSome(reader, call, query.id, filter, query.sort), {
        page: query.page,
        per_page: query.per_page,
      })
      return { actions: rows.map(actionToWire), meta: { pagination } }
    },
    getFamilyAction: (call) => readOne(reader, call, call.params.id, { type }),
    async listActions(call) {
      const { scope, params, query } = call
      const { id } = await find(scope, keyIn(params))
      return pageOfOne(reader, call, { type, resourceId: id, statuses: query.status })
    },
    getAction: async (call: ApiCall<ReturnType<typeof familyActionEndpoints<'family'>>['getAction']>) => {
      const { scope, params } = call
      const filter = { type, resourceId: await idIn(scope, params) }
      const read = () => actionsByIds(reader.db.query, scope, [params.action_id], asOfNow(reader, filter))
      const [action] = await current(reader, read)
      if (!action) throw notFound('action', params.action_id)
      return { action: actionToWire(action) }
    },
  }
  return handlers as unknown as Handlers<ReturnType<typeof familyActionEndpoints<Family>>>
}
