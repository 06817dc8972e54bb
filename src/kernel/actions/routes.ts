/** Reading actions, for all of them and for each family (spec: Actions; Action history). */
import type { Static } from 'typebox'
import { inEffect } from '../changes.ts'
import type { Clock } from '../clock.ts'
import { timestamp } from '../clock.ts'
import type { Call, Handlers, Sort } from '../contract.ts'
import type { Database } from '../db.ts'
import { notFound } from '../errors.ts'
import { numberPage, type PageRequest } from '../listing.ts'
import type { ProjectScope } from '../scope.ts'
import type { ActionSchema, actionEndpoints, familyActionEndpoints } from './contract.ts'
import { type Action, type ActionFilter, selectActions, toAction } from './store.ts'

const historyMs = 90 * 24 * 3_600_000

/** An action as the API shows it. */
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
    error: error_code === null ? null : { code: error_code, message: error_message ?? '' },
  }
}

interface Reader {
  readonly db: Database
  readonly clock: Clock
}

type Query = Omit<ActionFilter, 'since'>

async function read(
  { db, clock }: Reader,
  scope: ProjectScope,
  filter: Query,
  sort: readonly Sort[],
  page?: PageRequest,
) {
  const now = clock.now()
  const since = timestamp(inEffect('action_history_limited', now) ? now - historyMs : 0)
  let select = selectActions(db.query, scope, { ...filter, since })
  const keys = sort.some(({ field }) => field === 'id') ? sort : [...sort, { field: 'id', descending: false }]
  for (const { field, descending } of keys) {
    select = select.orderBy(`action.${field as 'id'}`, descending ? 'desc' : 'asc')
  }
  if (page) select = select.offset((page.page - 1) * page.per_page).limit(page.per_page + 1)
  const rows = await select.execute()
  const shown = page ? rows.slice(0, page.per_page) : rows
  return { actions: shown.map((row) => actionToWire(toAction(row))), found: rows.length }
}

async function readPage(
  reader: Reader,
  scope: ProjectScope,
  filter: Query,
  query: PageRequest & { sort: readonly Sort[] },
) {
  const { actions, found } = await read(reader, scope, filter, query.sort, query)
  return { actions, meta: { pagination: numberPage(query, found) } }
}

async function readOne(reader: Reader, scope: ProjectScope, id: number, filter: Query = {}) {
  const { actions } = await read(reader, scope, { ...filter, ids: [id] }, [])
  if (!actions[0]) throw notFound('action', id)
  return { action: actions[0] }
}

/** Handlers of the endpoints for actions of all families. */
export function actionRoutes(reader: Reader): Handlers<typeof actionEndpoints> {
  return {
    async list({ scope, query }) {
      const { id, status, sort } = query
      if (!id) return readPage(reader, scope, { statuses: status }, query)
      const { actions } = await read(reader, scope, { ids: id, statuses: status }, sort)
      return { actions }
    },
    get: ({ scope, params }) => readOne(reader, scope, params.id),
  }
}

/** Handlers of a family's action endpoints. `type` is the resource type; `exists` throws `not_found` unless it does. */
export function familyActionRoutes<Family extends string>(
  reader: Reader,
  type: string,
  exists: (scope: ProjectScope, id: number) => Promise<unknown>,
): Handlers<ReturnType<typeof familyActionEndpoints<Family>>> {
  const handlers: Handlers<ReturnType<typeof familyActionEndpoints<'family'>>> = {
    listFamilyActions: ({ scope, query }) =>
      readPage(reader, scope, { type, ids: query.id, statuses: query.status }, query),
    getFamilyAction: ({ scope, params }) => readOne(reader, scope, params.id, { type }),
    async listActions({ scope, params, query }) {
      await exists(scope, params.id)
      return readPage(reader, scope, { type, resourceId: params.id, statuses: query.status }, query)
    },
    getAction: ({ scope, params }: Call<ReturnType<typeof familyActionEndpoints<'family'>>['getAction']>) =>
      readOne(reader, scope, params.action_id, { type, resourceId: params.id }),
  }
  return handlers as unknown as Handlers<ReturnType<typeof familyActionEndpoints<Family>>>
}
