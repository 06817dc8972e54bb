/** Signed zones of all Projects: for the name server, for the job that leads them on, and for operators. */
import type { Queries } from '../../../kernel/data/db.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import type { ClockEvent } from '../../../kernel/process/clock.ts'
import { eventsOfRows } from '../../../kernel/resource/clock-events.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { ZoneKeyRow, ZoneSigningRow } from '../tables.ts'
import type { SigningStep } from './domain.ts'

/** The step of a zone and its keys, the oldest first; undefined for a zone that is not signed any more. */
export async function servedKeys(query: Queries, zoneId: number) {
  const all = acrossProjects(query)
  const row = await all.selectFrom('zone_signing').select('step').where('zone_id', '=', zoneId).executeTakeFirst()
  const keys = await all.selectFrom('zone_key').selectAll().where('zone_id', '=', zoneId).orderBy('id').execute()
  return row && { step: row.step, keys }
}

/** A zone that is to be looked at. */
export interface DueSigning {
  readonly zoneId: number
  readonly name: string
  readonly step: SigningStep
  readonly scope: ProjectScope
}

/** Signed zones that are due, those that have waited the longest first. */
export async function dueSignings(query: Queries, nowMs: number, limit: number): Promise<DueSigning[]> {
  const rows = await acrossProjects(query)
    .selectFrom('zone_signing')
    .innerJoin('zone', 'zone.id', 'zone_signing.zone_id')
    .select(['zone_id', 'name', 'step', 'zone.project_id'])
    .where('due', '<=', nowMs)
    .orderBy('due')
    .orderBy('zone_id')
    .limit(limit)
    .execute()
  return rows.map(({ zone_id: zoneId, name, step, project_id: projectId }) => ({
    zoneId,
    name,
    step,
    scope: { projectId },
  }))
}

/** The next times at which something is done with a signed zone, in order. */
export function nextSignings(query: Queries, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const dues = { table: 'zone_signing', column: 'due', id: 'zone_id', holds: 'milliseconds' } as const
  return eventsOfRows(query, { ...dues, type: 'zone', event: 'zone_signing' }, afterMs, limit)
}

/** The Project of a zone by its name; undefined when nobody has it. */
export async function ownerOf(query: Queries, name: string) {
  const row = await acrossProjects(query)
    .selectFrom('zone')
    .select(['id', 'project_id'])
    .where('name', '=', name)
    .executeTakeFirst()
  return row && { id: row.id, scope: { projectId: row.project_id } }
}

/** A signed zone as operators see it. */
export interface SeenSigning extends ZoneSigningRow {
  readonly name: string
  readonly keys: readonly ZoneKeyRow[]
}

const signingsAtOnce = 200

/** All signed zones by their names. */
export async function* signings(query: Queries): AsyncGenerator<SeenSigning> {
  for (let after = ''; ; ) {
    const some = await withKeys(
      query,
      await signingRows(query).where('name', '>', after).orderBy('name').limit(signingsAtOnce).execute(),
    )
    yield* some
    if (some.length < signingsAtOnce) return
    after = some.at(-1)!.name
  }
}

/** A signed zone by its name; undefined when there is none. */
export async function signingNamed(query: Queries, name: string): Promise<SeenSigning | undefined> {
  const [found] = await withKeys(query, await signingRows(query).where('name', '=', name).execute())
  return found
}

function signingRows(query: Queries) {
  return acrossProjects(query)
    .selectFrom('zone_signing')
    .innerJoin('zone', 'zone.id', 'zone_signing.zone_id')
    .selectAll('zone_signing')
    .select('name')
}

async function withKeys(query: Queries, rows: readonly Omit<SeenSigning, 'keys'>[]): Promise<SeenSigning[]> {
  if (rows.length === 0) return []
  const keys = await acrossProjects(query)
    .selectFrom('zone_key')
    .selectAll()
    .where(
      'zone_id',
      'in',
      rows.map(({ zone_id }) => zone_id),
    )
    .orderBy('id')
    .execute()
  const byZone = Map.groupBy(keys, ({ zone_id }) => zone_id)
  return rows.map((row) => ({ ...row, keys: byZone.get(row.zone_id) ?? [] }))
}
