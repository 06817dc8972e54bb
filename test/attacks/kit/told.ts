/**
 * What each kind of caller is told by an endpoint, written out, so that neither a row of the contract nor what judges
 * callers changes without a decision.
 */
import assert from 'node:assert/strict'
import { isRole, type Need } from '../../../src/kernel/access/roles.ts'
import { publicBase, wolkeBase } from '../../../src/kernel/contract/bases.ts'
import type { Answer } from '../../kit/harness.ts'
import { assertRefused } from '../../kit/refusals.ts'
import type { Caller, Row, Standing } from './callers.ts'

/** How many endpoints need what, by method and path; of several lines that fit, the first one counts. */
export const needs: readonly (readonly [count: number, needs: Need, operation: RegExp])[] = [
  [96, 'viewer', /^GET \/v1\//],
  // What costs money.
  [
    15,
    'member',
    /^(POST|DELETE) \/v1\/((floating_ip|image|load_balancer|network|primary_ip|server|volume)s|storage_boxes)(\/\{id\})?$/,
  ],
  [7, 'member', /\/actions\/(change_type|create_image|disable_backup|enable_backup|resize)$/],
  [104, 'restricted', /^(POST|PUT|DELETE) \/v1\//],
  [2, 'anyone', /^GET \/wolke\/v1\/(whoami|projects)$/],
  [18, 'person', / \/wolke\/v1\/account(\/|$)/],
  [13, 'operator', / \/wolke\/v1\/(audit|installation|people)(\/|$)/],
  [9, 'operator', / \/wolke\/v1\/(report|har|runs)(\/|$)/],
  [15, 'operator', / \/wolke\/v1\/(clock|forks|reset|snapshots)(\/|$)/],
  [4, 'operator', /^(POST|PUT) \/wolke\/v1\/projects(\/\{project_id\}\/(members|limits|reset))?$/],
  [6, 'operator', / \/wolke\/v1\/faults(\/|$)/],
  [2, 'operator', / \/wolke\/v1\/(projects\/\{project_id\}\/)?seed$/],
  [2, 'owner', /^(POST|DELETE) \/wolke\/v1\/projects\/\{project_id\}(\/transfer)?$/],
  [
    6,
    'viewer',
    /^GET \/wolke\/v1\/(reachability|locations\/\{id\}\/capabilities|projects\/\{project_id\}(\/(activity|limits|members))?)$/,
  ],
  [4, 'viewer', /^GET \/wolke\/v1\/storage_boxes\/\{id\}\/(doors|usage|files(\/content)?)$/],
  [6, 'restricted', /^(POST|PUT|DELETE) \/wolke\/v1\/storage_boxes\/\{id\}\/files(\/\w+)?$/],
  [12, 'admin', / \/wolke\/v1\/projects\/\{project_id\}(\/(audit|invitations|members|tokens)|$)/],
  [1, 'viewer', /^GET \/events$/],
]

export const operationOf = ({ base, endpoint: { method, path } }: Row) => `${method} ${base}${path}`

/** The line that decides what an endpoint needs; -1 for one that nobody has decided about. */
export const decisionOf = (row: Row) => needs.findIndex(([, , operation]) => operation.test(operationOf(row)))

/**
 * `in`, or what a refusal is about: `unknown` is 401 and `read` 401 `token_readonly`; `role`, `token`, `page`, `proof`,
 * `family`, `verb` and `label_selector` are 403; `hidden` is 404 of the Project, and `unseen` 404 of something in it.
 */
type Told = 'in' | 'unknown' | 'read' | 'role' | 'token' | 'page' | 'proof' | Lacks | 'hidden' | 'unseen'
type Lacks = 'family' | 'verb' | 'label_selector'

const columns = ['anyone', 'viewer', 'restricted', 'member', 'admin', 'owner', 'person', 'operator'] as const

/** What somebody is told by what an endpoint needs, in the order of the columns. */
const byNeed: Readonly<Record<Standing, string>> = {
  //          anyone  viewer  restr.  member  admin   owner   person  operator
  nobody: '   unknown unknown unknown unknown unknown unknown unknown unknown',
  reader: '   in      in      role    role    role    role    role    role',
  writer: '   in      in      in      in      role    role    role    role',
  management: 'in     in      in      in      in      in      role    in',
  viewer: '   in      in      role    role    role    role    in      role',
  restricted: 'in     in      in      role    role    role    in      role',
  member: '   in      in      in      in      role    role    in      role',
  admin: '    in      in      in      in      in      role    in      role',
  owner: '    in      in      in      in      in      in      in      role',
  outsider: ' in      hidden  hidden  hidden  hidden  hidden  in      role',
  operator: ' in      hidden  hidden  hidden  hidden  hidden  in      in',
}

/** What a caller has to be told by an endpoint that needs `need`. */
export function toldTo(caller: Caller, row: Row, need: Need): Told {
  const { standing, door } = caller
  const { base, endpoint } = row
  const isChange = endpoint.method !== 'GET'
  if (caller.isForged && isChange) return 'page'
  // A management token is for nothing but the management API, and the stream of events for sessions.
  if (standing === 'management' && base !== wolkeBase) return 'unknown'
  if (door === 'programs' && standing !== 'nobody' && base === '') return 'unseen'
  if (standing === 'reader' && isChange) return 'read'
  const isNamed = door === 'console' || endpoint.path.includes('{project_id}')
  if (isRole(need) && caller.isElsewhere && isNamed) return 'hidden'
  if (isRole(need) && standing === 'management' && !isNamed) return 'role'
  const told = byNeed[standing].trim().split(/ +/)[columns.indexOf(need as 'anyone')] as Told | undefined
  assert.ok(told, `nobody has decided who may do what needs ${need}`)
  if (told !== 'in') return told
  if (caller.isUnproven && endpoint.elevated) return 'proof'
  // Who belongs to a Project is for people and for operators.
  if (caller.isToken && operationOf(row) === `GET ${wolkeBase}/projects/{project_id}/members`) return 'token'
  return need === 'anyone' ? 'in' : toldOfScope(caller, row)
}

// ---- Scopes --------------------------------------------------------------------------------------------------------

const verbs = { GET: 'read', POST: 'create', PUT: 'update', DELETE: 'delete' } as const
const catalogues = /^\/(datacenters|isos|load_balancer_types|locations|pricing|server_types|storage_box_types)(\/|$)/

function toldOfScope({ scope = {} }: Caller, { base, endpoint: { method, path } }: Row): Told {
  const [, family = '', ...rest] = path.split('/')
  const command = method === 'POST' && rest.at(-2) === 'actions' ? rest.at(-1)! : undefined
  if (scope.families && family !== 'actions' && !scope.families.includes(family)) return 'family'
  const granting = command === undefined ? [verbs[method]] : [command, 'actions']
  if (scope.verbs && !granting.some((verb) => scope.verbs!.includes(verb))) return 'verb'
  // Events say nothing of what they are about that a scope could be held against.
  if (base === '') return Object.keys(scope).length === 0 ? 'in' : 'unseen'
  // Actions of all families are read there, and a scope shows those that name a resource of its own.
  if (path === '/actions/{id}' && scope.families) return 'unseen'
  if (scope.label_selector === undefined) return 'in'
  return base === publicBase ? toldOfLabels(method, path) : 'label_selector'
}

/** Nothing has the labels that are selected. */
function toldOfLabels(method: string, path: string): Told {
  if (catalogues.test(path)) return 'in'
  if (path.includes('{')) return 'unseen'
  // Actions are asked for by their ids there.
  if (path === '/actions') return 'in'
  return method === 'GET' && !path.endsWith('/actions') ? 'in' : 'label_selector'
}

// ---- Answers -------------------------------------------------------------------------------------------------------

/** What an answer tells. */
export function toldBy(answer: Answer): Told {
  const { code, message = '', details } = answer.body?.error ?? {}
  if (code === 'unauthorized') return refused(answer, code, 'unknown')
  if (code === 'token_readonly') return refused(answer, code, 'read')
  if (code === 'elevation_required') return refused(answer, code, 'proof', 403)
  if (code === 'not_found') return refused(answer, code, /^Project with ID/.test(message) ? 'hidden' : 'unseen')
  if (code !== 'forbidden') return 'in'
  if (details?.lacks) return refused(answer, code, Object.keys(details.lacks)[0] as Lacks)
  if (details?.needs) return refused(answer, code, 'role')
  // The secret of an invitation is judged by the handler.
  if (/^this link does not count/.test(message)) return 'in'
  return refused(answer, code, /of this server$/.test(message) ? 'page' : 'token')
}

function refused(answer: Answer, code: Parameters<typeof assertRefused>[1], told: Told, status?: number): Told {
  assertRefused(answer, code, status)
  return told
}
