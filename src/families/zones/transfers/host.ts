/** What the name server reads about secondary zones of all Projects: whose primaries it is to ask. */
import { sql } from 'kysely'
import type { Queries } from '../../../kernel/data/db.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import type { ClockEvent } from '../../../kernel/process/clock.ts'
import { eventsOfRows } from '../../../kernel/resource/clock-events.ts'
import type { ProjectId } from '../../../kernel/scope.ts'
import { primariesFromRow } from '../primaries/store.ts'
import type { Source } from './store.ts'

function sources(query: Queries) {
  return acrossProjects(query)
    .selectFrom('zone_source')
    .innerJoin('zone', 'zone.id', 'zone_source.zone_id')
    .select([
      'zone_source.zone_id',
      'zone_source.project_id',
      'content_id',
      'nameservers',
      'tsig_keys',
      'next_check',
      'refreshed',
      'is_stale',
      'name',
      'serial',
    ])
}

interface SourceFields {
  readonly zone_id: number
  readonly project_id: ProjectId
  readonly content_id: number
  readonly nameservers: string
  readonly tsig_keys: string | null
  readonly next_check: number
  readonly refreshed: number | null
  readonly is_stale: 0 | 1
  readonly name: string
  readonly serial: number
}

function toSource(row: SourceFields): Source {
  return {
    zoneId: row.zone_id,
    contentId: row.content_id,
    scope: { projectId: row.project_id },
    name: row.name,
    serial: row.serial,
    primaries: primariesFromRow(row),
    nextCheck: row.next_check,
    refreshed: row.refreshed,
    isStale: row.is_stale === 1,
  }
}

/** How many zones are taken in hand at once: in all, and of one Project. */
export interface DueLimits {
  readonly inAll: number
  readonly perProject: number
}

/**
 * Secondary zones whose primaries are to be asked by now: of each Project those that have waited the longest, and the
 * first of every Project before the second of any.
 */
export async function dueZones(query: Queries, nowMs: number, { inAll, perProject }: DueLimits): Promise<Source[]> {
  const place = sql<number>`row_number() over (partition by project_id order by next_check, zone_id)`
  const due = acrossProjects(query)
    .selectFrom('zone_source')
    .select(['zone_id as due_id', place.as('place')])
    .where('next_check', '<=', nowMs)
  const rows = await sources(query)
    .innerJoin(due.as('due'), 'due_id', 'zone_source.zone_id')
    .where('place', '<=', perProject)
    .orderBy('place')
    .orderBy('next_check')
    .limit(inAll)
    .execute()
  return rows.map(toSource)
}

/** The next times at which primaries are asked whether their zones have changed, in order. */
export function nextChecks(query: Queries, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const checks = { table: 'zone_source', column: 'next_check', id: 'zone_id', holds: 'milliseconds' } as const
  return eventsOfRows(query, { ...checks, type: 'zone', event: 'zone_check' }, afterMs, limit)
}

/** Where a zone comes from; undefined for one that is not secondary. */
export async function sourceOf(query: Queries, zoneId: number): Promise<Source | undefined> {
  const row = await sources(query).where('zone_source.zone_id', '=', zoneId).executeTakeFirst()
  return row && toSource(row)
}
