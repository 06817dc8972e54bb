/**
 * A Project may have a limited number of resources of a kind (spec: Limits). Nothing is counted ahead: the check
 * counts, just past the limit, while every rival of the same Project waits, so it is exact and cannot drift.
 */
import { type Kysely, sql } from 'kysely'
import { enterProject, lockProject } from '../access/projects.ts'
import type { EveryTable, Queries, Transaction } from '../data/db.ts'
import { acrossProjects, preparedScoped, scoped } from '../data/scoped.ts'
import { limitExceeded } from '../errors.ts'
import { type AtOnce, after } from '../process/at-once.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'

/** A kind of resource of which there may be only so many, in a Project or in what the family says; each names its own. */
export interface LimitedKind {
  /** Its path, such as `floating_ips`: the name of the limit. */
  readonly path: string
  /** The names of one and of several in texts. */
  readonly title: string
  readonly titles: string
  /** The table whose rows count. */
  readonly type: keyof EveryTable
  /** The limit unless the operator says otherwise; any number when it is missing. */
  readonly most?: number
}

/** Limits of Projects that have none of their own, by path. A kind that is missing has no limit. */
export type DefaultLimits = Readonly<Record<string, number>>

interface ProjectLimitRow {
  readonly project_id: ProjectId
  /** The path of the kind. */
  readonly kind: string
  /** Null lifts the default. */
  readonly most: number | null
}

declare module '../data/db.ts' {
  interface TenantTables {
    project_limit: ProjectLimitRow
  }
}

/** Refuses more resources of a kind. Call it before the inserts. Errors: 403 `resource_limit_exceeded`. */
export async function enforceLimit(
  tx: Transaction,
  scope: ProjectScope,
  kind: LimitedKind,
  defaults: DefaultLimits,
  more = 1,
): Promise<void> {
  const { path, title, titles } = kind
  const most = await mostOf(tx, scope, kind, defaults)
  if (most === null) return
  await lockProject(tx, scope, 'update')
  const used = await countUpTo(tx, scope, kind, most + 1)
  if (used + more <= most) return
  throw limitExceeded(path, `${title} limit exceeded: a Project cannot have more than ${most} ${titles}`)
}

/** Returns the limit of a kind in a Project, or in one of what the family counts in; null for any number. */
export function mostOf(
  tx: Transaction,
  scope: ProjectScope,
  { path }: LimitedKind,
  defaults: DefaultLimits,
): AtOnce<number | null> {
  return after(ownLimits(tx.settings, scope), (rows) => {
    const own = rows.find(({ kind }) => kind === path)
    return (own ? own.most : defaults[path]) ?? null
  })
}

async function countUpTo(
  tx: Transaction,
  { projectId }: ProjectScope,
  { type }: LimitedKind,
  most: number,
): Promise<number> {
  const queries = tx.query as unknown as Kysely<Record<string, { id: number; project_id: number }>>
  const some = queries.selectFrom(type).select('id').where('project_id', '=', projectId).limit(most)
  const counted = queries.selectFrom(some.as('some')).select(sql<number>`count(*)`.as('total'))
  return (await counted.executeTakeFirstOrThrow()).total
}

const ownLimits = preparedScoped((rows) => rows.selectFrom('project_limit').select(['kind', 'most']))

/** The limits that were set for a Project itself. */
export async function limitsOf(query: Queries, scope: ProjectScope): Promise<Map<string, number | null>> {
  const rows = await ownLimits(query, scope)
  return new Map(rows.map((row) => [row.kind, row.most]))
}

/** The limits that were set for some Projects themselves. */
export async function limitsOfProjects(
  query: Queries,
  ids: readonly ProjectId[],
): Promise<Map<ProjectId, Map<string, number | null>>> {
  const found = new Map(ids.map((id) => [id, new Map<string, number | null>()]))
  if (ids.length === 0) return found
  const limits = acrossProjects(query).selectFrom('project_limit').selectAll().where('project_id', 'in', ids)
  for (const { project_id, kind, most } of await limits.execute()) found.get(project_id)!.set(kind, most)
  return found
}

/** A Project's own limits by path: a number, null for none at all, undefined for the default again. */
export type OwnLimits = Readonly<Record<string, number | null | undefined>>

/** Sets some of a Project's own limits. Errors: `not_found` for the Project. */
export async function setLimits(tx: Transaction, scope: ProjectScope, limits: OwnLimits): Promise<void> {
  await enterProject(tx, scope)
  for (const [kind, most] of Object.entries(limits)) {
    await scoped(tx.query, scope).deleteFrom('project_limit').where('kind', '=', kind).execute()
    if (most !== undefined) {
      await scoped(tx.query, scope).insertInto('project_limit', [{ kind, most }]).execute()
    }
  }
}

/** Reads `servers=10,firewalls=50`, with paths among `known`; a string says what is wrong. */
export function parseLimits(text: string, known: readonly string[]): OwnLimits | string {
  const limits: Record<string, number | null | undefined> = {}
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [kind = '', value = ''] = part.split('=')
    if (!known.includes(kind)) return `unknown kind '${kind}'; known: ${known.join(', ')}`
    if (value === 'off') limits[kind] = null
    else if (value === 'default') limits[kind] = undefined
    else if (/^\d{1,9}$/.test(value)) limits[kind] = Number(value)
    else return `${kind} needs a number, off or default`
  }
  return limits
}
