/** Reading the audit log. Entries are ordered by id, which is nearly their order in time. */
import { sql } from 'kysely'
import { type PageBack, pageBack } from '../data/backwards.ts'
import type { Queries } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import { largestId } from '../ids.ts'
import { timestamp } from '../process/clock.ts'
import type { ProjectId } from '../scope.ts'
import type { AuditRow } from './tables.ts'

/**
 * Families of entries that say who administers a Project and how much may be in it. They name nothing that is in it, so
 * operators see them.
 */
const aboutProjects: ReadonlySet<string> = new Set([
  ...['projects', 'members', 'invitations', 'transfer', 'limits', 'tokens', 'people', 'installation'],
])

/** The entries that a reader asks for. */
export interface AuditFilter {
  readonly projectId?: number | undefined
  /** The Projects whose entries are seen whole, and of others only what is about them; undefined for all. */
  readonly whole?: ReadonlySet<number> | undefined
  /** A kind, `KIND:ID`, or a name. */
  readonly actor?: string | undefined
  /** Part of the operation. */
  readonly operation?: string | undefined
  readonly family?: string | undefined
  /** `ok`, `refused`, or a code. */
  readonly outcome?: string | undefined
  /** An id, or a name in a path. */
  readonly resource?: string | undefined
  /** Timestamps: from the first, and before the second. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/**
 * The most that the order of ids may differ from the order in time, in milliseconds: clocks differ, and commits take
 * time.
 */
const disorderMs = 60_000

/** A page of at most `most` entries with ids below `before`, newest first. */
export async function pageOfEntries(
  query: Queries,
  filter: AuditFilter,
  { before = largestId, most }: { readonly before?: number | undefined; readonly most: number },
): Promise<PageBack<AuditRow>> {
  const { since, until, projectId } = filter
  const end = until === undefined ? before : Math.min(before, await firstIdAfter(query, shifted(until, disorderMs)))
  const oldest = since === undefined ? '' : shifted(since, -disorderMs)
  const read = (below: number, limit: number) => readBack(query, projectId, below, limit)
  return pageBack({ read, passes: (row) => passes(row, filter), isOver: ({ time }) => time < oldest }, end, most)
}

const shifted = (time: string, ms: number) => timestamp(Date.parse(time) + ms)

async function readBack(
  query: Queries,
  projectId: number | undefined,
  below: number,
  limit: number,
): Promise<readonly AuditRow[]> {
  const rows = acrossProjects(query).selectFrom('audit').selectAll().where('id', '<', below)
  const own = projectId === undefined ? rows : rows.where('project_id', '=', projectId as ProjectId)
  return own.orderBy('id', 'desc').limit(limit).execute()
}

/** The id of the first entry after a time, found by bisection; `largestId` without one. */
export async function firstIdAfter(query: Queries, time: string): Promise<number> {
  const next = async (id: number) => {
    const { rows } = await sql<{ id: number; time: string }>`
      select id, time from audit where id >= ${id} order by id limit 1
    `.execute(query)
    return rows[0]
  }
  let low = 1
  let high = ((await newestId(query)) ?? 0) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await next(middle)
    if (found && found.time <= time) low = found.id + 1
    else high = middle
  }
  return (await next(low)) === undefined ? largestId : low
}

/** The id of the newest entry, if there is one. */
export async function newestId(query: Queries): Promise<number | undefined> {
  const { rows } = await sql<{ id: number | null }>`select max(id) as id from audit`.execute(query)
  return rows[0]?.id ?? undefined
}

/** Keys are drawn before their commit: so far back a look goes for what was committed late. */
const lateEntries = 1_000

/** What those of the newest entries are about that tell of an operation which was done, in no order. */
export async function recentlyDone(query: Queries, operation: string): Promise<readonly (number | string)[]> {
  const newest = (await newestId(query)) ?? 0
  const rows = await acrossProjects(query)
    .selectFrom('audit')
    .selectAll()
    .where('id', '>', newest - lateEntries)
    .where('operation', '=', operation)
    .where('outcome', '=', 'ok')
    .execute()
  return rows.flatMap(resourcesOf)
}

/** Tells whether what a request did at a time was entered. */
export async function isEntered(query: Queries, correlationId: string, time: string): Promise<boolean> {
  const found = await acrossProjects(query)
    .selectFrom('audit')
    .select('id')
    .where('id', '>=', await firstIdAfter(query, shifted(time, -disorderMs)))
    .where('correlation_id', '=', correlationId)
    .where('outcome', '=', 'ok')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** The entries with ids above `after`, oldest first; without `projects` those of the whole installation. */
export async function entriesAfter(
  query: Queries,
  after: number,
  { limit, projects }: { readonly limit: number; readonly projects?: readonly ProjectId[] },
): Promise<readonly AuditRow[]> {
  const rows = acrossProjects(query).selectFrom('audit').selectAll().where('id', '>', after)
  const own = projects ? rows.where('project_id', 'in', projects) : rows
  return own.orderBy('id').limit(limit).execute()
}

/**
 * Tells whether an entry of a Project may be seen. The acts and names of a Project's tokens are part of its content.
 */
function isSeen({ project_id, family, actor }: AuditRow, whole: AuditFilter['whole']): boolean {
  if (whole === undefined || project_id === null || whole.has(project_id)) return true
  return aboutProjects.has(family) && actor !== 'token'
}

/** Tells whether an entry matches. */
export function passes(row: AuditRow, filter: AuditFilter): boolean {
  const { projectId, whole, actor, operation, family, outcome, resource, since, until } = filter
  return (
    isSeen(row, whole) &&
    (projectId === undefined || row.project_id === projectId) &&
    (actor === undefined || [row.actor, `${row.actor}:${row.actor_id}`, row.actor_name].includes(actor)) &&
    (operation === undefined || row.operation.includes(operation)) &&
    (family === undefined || row.family === family) &&
    (outcome === undefined || row.outcome === outcome || (outcome === 'refused' && row.outcome !== 'ok')) &&
    (resource === undefined || resourcesOf(row).some((one) => String(one) === resource)) &&
    (since === undefined || row.time >= since) &&
    (until === undefined || row.time < until)
  )
}

/** The ids and names of what an entry is about. */
export function resourcesOf({ resources }: AuditRow): readonly (number | string)[] {
  return JSON.parse(resources) as (number | string)[]
}
