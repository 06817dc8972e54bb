/**
 * How many resources of a kind a Project may have (spec: Errors, resource_limit_exceeded). Nothing is counted ahead: the
 * check counts, up to the limit, while every rival of the same Project waits, so it is exact and cannot drift.
 */
import { type Kysely, sql } from 'kysely'
import { lockProject } from '../access/projects.ts'
import type { Queries, Tables, Transaction } from '../data/db.ts'
import { prepared } from '../data/prepared.ts'
import { ApiError } from '../errors.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'

/** Kinds of resources that can be limited, as in the API's paths, with the text of the refusal. */
export const limitedKinds = {
  servers: 'server limit exceeded',
  floating_ips: 'Floating IP limit exceeded',
  firewalls: 'firewall limit exceeded',
  images: 'image limit exceeded',
  ssh_keys: 'SSH key limit exceeded',
  certificates: 'certificate limit exceeded',
  zones: 'zone limit exceeded',
} as const

/** Which rows count. */
interface CountedRows {
  readonly table: keyof Tables
  /** The status of rows that do not. */
  readonly except?: string
}

export type LimitedKind = keyof typeof limitedKinds

/** Limits of Projects that have none of their own. A kind that is missing has no limit. */
export type DefaultLimits = Readonly<Partial<Record<LimitedKind, number>>>

interface ProjectLimitRow {
  readonly project_id: ProjectId
  readonly kind: LimitedKind
  /** Null lifts the default. */
  readonly most: number | null
}

declare module '../data/db.ts' {
  interface Tables {
    project_limit: ProjectLimitRow
  }
}

/** Refuses one more resource of a kind. Call it before the insert. Errors: 403 `resource_limit_exceeded`. */
export async function enforceLimit(
  tx: Transaction,
  scope: ProjectScope,
  counted: CountedRows & { readonly kind: LimitedKind },
  defaults: DefaultLimits,
): Promise<void> {
  const { kind } = counted
  const own = await limitsOf(tx.settings, scope)
  const most = own.has(kind) ? own.get(kind) : defaults[kind]
  if (most === undefined || most === null) return
  await lockProject(tx, scope, 'update')
  if ((await countUpTo(tx, scope, counted, most)) < most) return
  throw new ApiError('resource_limit_exceeded', limitedKinds[kind], { details: { limits: [{ name: kind }] } })
}

async function countUpTo(
  tx: Transaction,
  { projectId }: ProjectScope,
  { table, except }: CountedRows,
  most: number,
): Promise<number> {
  const queries = tx.query as unknown as Kysely<Record<string, { id: number; project_id: number; status: string }>>
  const some = queries
    .selectFrom(table)
    .select('id')
    .where('project_id', '=', projectId)
    .$if(except !== undefined, (select) => select.where('status', '!=', except as string))
    .limit(most)
  const counted = queries.selectFrom(some.as('some')).select(sql<number>`count(*)`.as('total'))
  return (await counted.executeTakeFirstOrThrow()).total
}

const ownLimits = prepared((query, projectId: ProjectId) =>
  query.selectFrom('project_limit').select(['kind', 'most']).where('project_id', '=', projectId),
)

/** The limits that were set for a Project itself. */
export async function limitsOf(query: Queries, scope: ProjectScope): Promise<Map<LimitedKind, number | null>> {
  const rows = await ownLimits(query, scope.projectId)
  return new Map(rows.map((row) => [row.kind, row.most]))
}

/** Sets a Project's own limit: a number, null for none at all, undefined for the default again. */
export async function setLimit(
  tx: Transaction,
  scope: ProjectScope,
  kind: LimitedKind,
  most: number | null | undefined,
): Promise<void> {
  await tx.query
    .deleteFrom('project_limit')
    .where('project_id', '=', scope.projectId)
    .where('kind', '=', kind)
    .execute()
  if (most !== undefined) {
    await tx.query.insertInto('project_limit').values({ project_id: scope.projectId, kind, most }).execute()
  }
}

/** Reads `servers=10,firewalls=50`; a string says what is wrong. */
export function parseLimits(text: string): Record<string, number | null | undefined> | string {
  const limits: Record<string, number | null | undefined> = {}
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [kind = '', value = ''] = part.split('=')
    if (!Object.hasOwn(limitedKinds, kind))
      return `unknown kind '${kind}'; known: ${Object.keys(limitedKinds).join(', ')}`
    if (value === 'off') limits[kind] = null
    else if (value === 'default') limits[kind] = undefined
    else if (/^\d{1,9}$/.test(value)) limits[kind] = Number(value)
    else return `${kind} needs a number, off or default`
  }
  return limits
}
