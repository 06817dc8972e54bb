/** What the host's side asks about servers: it knows from the connection which server calls, not of which Project it is. */
import { sql } from 'kysely'
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import type { Server } from './domain.ts'
import { fromRow } from './store.ts'

/** A server by its id alone, with its Project. Never for a request of a tenant. */
export async function serverById(
  query: Queries,
  id: number,
): Promise<{ server: Server; scope: ProjectScope } | undefined> {
  const row = await acrossProjects(query).selectFrom('server').selectAll().where('id', '=', id).executeTakeFirst()
  return row && { server: fromRow(row), scope: { projectId: row.project_id } }
}

/** A server with which a background job has something to do. */
export interface DueServer {
  readonly id: number
  readonly scope: ProjectScope
}

/** Servers of all Projects that wait for their backup of a day, by id. */
export async function dueServers(
  query: Queries,
  window: string,
  day: string,
  after: DueServer | undefined,
  limit: number,
): Promise<DueServer[]> {
  const rows = await acrossProjects(query)
    .selectFrom('server')
    .select(['id', 'project_id'])
    .where('backup_window', '=', window)
    .where('last_backup_day', '<', day)
    .where('id', '>', after?.id ?? 0)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: row.id, scope: { projectId: row.project_id } }))
}

/** Servers of all Projects that have their backups in a window, by id. */
export async function serversWithBackups(query: Queries, window: string, limit: number): Promise<DueServer[]> {
  const rows = await acrossProjects(query)
    .selectFrom('server')
    .select(['id', 'project_id'])
    .where('backup_window', '=', window)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: row.id, scope: { projectId: row.project_id } }))
}

/** A server with the end of the time in which its rescue system waited for a boot. */
export interface OverdueRescue extends DueServer {
  readonly until: string
}

/** Servers of all Projects whose rescue system waited for a boot until `now`, longest overdue first. */
export async function overdueRescues(
  query: Queries,
  now: string,
  after: OverdueRescue | undefined,
  limit: number,
): Promise<OverdueRescue[]> {
  const rows = await acrossProjects(query)
    .selectFrom('server')
    .select(['id', 'project_id', 'rescue_until'])
    .where('rescue_until', '<=', now)
    .where(sql<boolean>`(rescue_until, id) > (${after?.until ?? ''}, ${after?.id ?? 0})`)
    .orderBy('rescue_until')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: row.id, scope: { projectId: row.project_id }, until: row.rescue_until! }))
}

/** How many servers of each type some Projects have in each location, and how many of them have backups. */
export async function serversByPrice(query: Queries, ids: readonly ProjectId[]) {
  return acrossProjects(query)
    .selectFrom('server')
    .select(({ fn }) => [
      'project_id',
      'server_type',
      'location',
      fn.countAll().as('count'),
      fn.count('backup_window').as('backups'),
    ])
    .where('project_id', 'in', ids)
    .groupBy(['project_id', 'server_type', 'location'])
    .execute()
}

/** The ids of the servers of all Projects at some locations. */
export async function serversAt(query: Queries, locations: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await acrossProjects(query)
    .selectFrom('server')
    .select('id')
    .where('location', 'in', locations)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
