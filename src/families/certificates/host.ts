/** What is asked about the certificates of many Projects at once. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { eventsOfRows } from '../../kernel/resource/clock-events.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { Events } from '../../platform.ts'

/** How many certificates of some Projects were not issued, or not renewed while they have more time than that. */
export async function failedCertificates(query: Queries, ids: readonly ProjectId[], until: string) {
  return acrossProjects(query)
    .selectFrom('certificate')
    .select(({ fn }) => ['project_id', fn.countAll().as('count')])
    .where('project_id', 'in', ids)
    .where(({ eb, or, and }) =>
      or([eb('issuance', '=', 'failed'), and([eb('renewal', '=', 'failed'), eb('not_valid_after', '>=', until)])]),
    )
    .groupBy('project_id')
    .execute()
}

/** How many certificates of some Projects end by a time and are not renewed by themselves, or no more. */
export async function endingCertificates(query: Queries, ids: readonly ProjectId[], until: string) {
  return acrossProjects(query)
    .selectFrom('certificate')
    .select(({ fn }) => ['project_id', fn.countAll().as('count')])
    .where('project_id', 'in', ids)
    .where('not_valid_after', '<', until)
    .where(({ eb, or }) => or([eb('type', '=', 'uploaded'), eb('renewal', '=', 'failed')]))
    .groupBy('project_id')
    .execute()
}

/** The next times at which certificates end. */
export const certificateEnds: Events = ({ db }, afterMs, limit) => {
  const ends = { table: 'certificate', column: 'not_valid_after', holds: 'timestamp', type: 'certificate' } as const
  return eventsOfRows(db.query, { ...ends, event: 'certificate_ends' }, afterMs, limit)
}
