/** The wire shape of actions and the endpoints that every family with actions has (spec: Action, Actions). */

import { Type } from 'typebox'
import { kernelChanges } from '../contract/changes.ts'
import {
  defineEndpoints,
  type Endpoint,
  enumParam,
  Id,
  idsParam,
  Meta,
  named,
  nullable,
  paging,
  sorting,
  Timestamp,
} from '../contract/contract.ts'
import type { ErrorCode } from '../errors.ts'

export const ActionSchema = named('Action', {
  id: Id,
  command: Type.String(),
  status: Type.Enum(['running', 'success', 'error']),
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  started: Timestamp,
  finished: nullable(Timestamp),
  resources: Type.Array(Type.Object({ id: Id, type: Type.String() })),
  error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
})

export const ActionReply = named('ActionReply', { action: ActionSchema })
export const ActionsReply = named('ActionsReply', { actions: Type.Array(ActionSchema) })

type ActionRow = Pick<Endpoint, 'summary' | 'needs'> & Partial<Omit<Endpoint, 'method' | 'path' | 'section'>>
type ActionDefaults = {
  readonly status: 201
  readonly reply: typeof ActionReply
  readonly errors: readonly ErrorCode[]
}
type ActionEndpoint<Path extends string, Row extends ActionRow> = Row &
  Omit<ActionDefaults, keyof Row> & {
    readonly method: 'POST'
    readonly path: Path
    readonly of: string
    readonly command: string
    readonly section: string
  }

/**
 * Declares endpoints `POST {base}/actions/{name}` of one section of the contract, which answer 201 with the action where
 * their row says nothing else. `base` is the path of the resource; `family` its family, where another one declares them.
 */
export function actionsOf<const Base extends string>(base: Base, section: string, family?: string) {
  return <const Name extends string, const Row extends ActionRow>(name: Name, row: Row) => {
    const defaults: ActionDefaults = { status: 201, reply: ActionReply, errors: [] }
    const place = { path: `${base}/actions/${name}`, of: base, command: name, ...(family && { family }) }
    const endpoint = { method: 'POST', ...place, section, ...defaults, ...row }
    return endpoint as unknown as ActionEndpoint<`${Base}/actions/${Name}`, Row>
  }
}

const ActionPage = named('ActionPage', { actions: Type.Array(ActionSchema), meta: Meta })

const sort = sorting(['id', 'command', 'status', 'started', 'finished'], {
  progress: kernelChanges.sort_by_progress_removed,
})
const status = enumParam('Only actions with this status', ['running', 'success', 'error'])
const id = idsParam('Only the actions with these ids')

export const actionEndpoints = defineEndpoints({
  list: {
    method: 'GET',
    needs: 'viewer',
    path: '/actions',
    narrows: true,
    summary: 'Get several actions by their ids',
    section: 'Actions',
    query: { id, status, ...sort, ...paging },
    removedWithout: {
      param: 'id',
      by: kernelChanges.actions_listing_removed,
      announcement: '/docs#list-actions-removed',
    },
    status: 200,
    reply: Type.Object({ actions: Type.Array(ActionSchema), meta: Type.Optional(Meta) }),
    errors: ['deprecated_api_endpoint'],
  },
  get: {
    method: 'GET',
    needs: 'viewer',
    path: '/actions/{id}',
    narrows: true,
    summary: 'Get an action',
    section: 'Actions',
    status: 200,
    reply: ActionReply,
    errors: [],
  },
})

/** The path parameters that name a resource. */
export type ResourceParam = 'id' | 'id_or_name'

/**
 * The four action endpoints of a family. `family` is its path, such as `servers`; `param` is the path parameter that
 * names one of its resources.
 */
export function familyActionEndpoints<const Family extends string, const Param extends ResourceParam = 'id'>(
  family: Family,
  param: Param = 'id' as Param,
) {
  const section = 'Actions'
  const one = `/${family}/{${param}}` as const
  return defineEndpoints({
    listFamilyActions: {
      method: 'GET',
      needs: 'viewer',
      path: `/${family}/actions`,
      narrows: true,
      addedBy: kernelChanges.action_endpoints_added,
      summary: `List the actions of all ${family}`,
      section,
      query: { id, status, ...sort, ...paging },
      status: 200,
      reply: ActionPage,
      errors: [],
    },
    getFamilyAction: {
      method: 'GET',
      needs: 'viewer',
      path: `/${family}/actions/{id}`,
      title: 'action',
      narrows: true,
      addedBy: kernelChanges.action_endpoints_added,
      summary: `Get an action of ${family}`,
      section,
      status: 200,
      reply: ActionReply,
      errors: [],
    },
    listActions: {
      method: 'GET',
      needs: 'viewer',
      path: `${one}/actions`,
      of: one,
      summary: 'List the actions of one resource',
      section,
      query: { status, ...sort, ...paging },
      status: 200,
      reply: ActionPage,
      errors: [],
    },
    getAction: {
      method: 'GET',
      needs: 'viewer',
      path: `${one}/actions/{action_id}`,
      of: one,
      summary: 'Get an action of one resource (deprecated since April 2026)',
      deprecatedBy: kernelChanges.resource_action_deprecated,
      section,
      status: 200,
      reply: ActionReply,
      errors: [],
    },
  })
}
