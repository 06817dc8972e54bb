/** Endpoints that read actions, for all actions and for each family (spec: Actions, Action history). */
import type { Static } from 'typebox'
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
}

type Query = Omit<ActionFilter, 'since'>

/** The filter as of the present date. */
function asOfNow({ clock }: Reader, filter: Query): ActionFilter {
  const now = clock.now()
  return { ...filter, since: inEffect(kernelChanges.action_history_limited, now) ? historyStart(now) : '' }
}

async function readPage(
  reader: Reader,
  scope: ProjectScope,
  filter: Query,
  query: PageRequest & { sort: readonly Sort[] },
) {
  const found = await pageOfActions(reader.db, scope, asOfNow(reader, filter), query)
  const actions = found.slice(0, query.per_page).map(actionToWire)
  return { actions, meta: { pagination: numberPage(query, found.length) } }
}

/** The actions with the given ids. */
async function readSome(
  reader: Reader,
  scope: ProjectScope,
  ids: readonly number[],
  filter: Query,
  sort: readonly Sort[] = [],
) {
  return actionsByIds(reader.db.query, scope, ids, asOfNow(reader, filter), sort)
}

async function readOne(reader: Reader, scope: ProjectScope, id: number, filter: Query = {}) {
  const [action] = await readSome(reader, scope, [id], filter)
  if (!action) throw notFound('action', id)
  return { action: actionToWire(action) }
}

/** Handlers of the endpoints for the actions of all families. */
export function actionRoutes(reader: Reader): Handlers<typeof actionEndpoints> {
  return {
    async list({ scope, query }) {
      const { id, status, sort } = query
      if (!id) return readPage(reader, scope, { statuses: status }, query)
      const actions = await readSome(reader, scope, id, { statuses: status }, sort)
      return { actions: actions.map(actionToWire) }
    },
    get: ({ scope, params }) => readOne(reader, scope, params.id),
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
    async listFamilyActions({ scope, query }) {
      const filter = { type, statuses: query.status }
      if (!query.id) return readPage(reader, scope, filter, query)
      const { rows, pagination } = pageOf(await readSome(reader, scope, query.id, filter, query.sort), {
        page: query.page,
        per_page: query.per_page,
      })
      return { actions: rows.map(actionToWire), meta: { pagination } }
    },
    getFamilyAction: ({ scope, params }) => readOne(reader, scope, params.id, { type }),
    async listActions({ scope, params, query }) {
      const { id } = await find(scope, keyIn(params))
      return readPage(reader, scope, { type, resourceId: id, statuses: query.status }, query)
    },
    getAction: async ({ scope, params }: ApiCall<ReturnType<typeof familyActionEndpoints<'family'>>['getAction']>) =>
      readOne(reader, scope, params.action_id, { type, resourceId: await idIn(scope, params) }),
  }
  return handlers as unknown as Handlers<ReturnType<typeof familyActionEndpoints<Family>>>
}
