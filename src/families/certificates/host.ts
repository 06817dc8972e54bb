/** What is asked about the certificates of many Projects at once. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { eventsOfRows } from '../../kernel/resource/clock-events.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { Events } from '../../platform.ts'
import type { CertificateType } from './domain.ts'

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

/** The number of certificates of a type that end in a span, and of so many the issuance or the renewal failed. */
export interface Lives {
  readonly type: CertificateType
  readonly ends: string
  readonly count: number
  readonly issuance: number
  readonly renewal: number
}

/** The number of certificates that are counted at once, since their rows are long. */
const countedAtOnce = 500

/** Counts all certificates by the first of some times, in order, before which they end; the others end `later`. */
export async function certificateLives(
  query: Queries,
  bounds: readonly (readonly [until: string, ends: string])[],
): Promise<readonly Lives[]> {
  const counts = new Map<string, Lives>()
  for (let after = 0; ; ) {
    const rows = await acrossProjects(query)
      .selectFrom('certificate')
      .select(['id', 'type', 'not_valid_after', 'issuance', 'renewal'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(countedAtOnce)
      .execute()
    for (const { type, not_valid_after: end, issuance, renewal } of rows) {
      const ends = end === null ? 'not_issued' : (bounds.find(([until]) => end < until)?.[1] ?? 'later')
      const before = counts.get(`${type} ${ends}`) ?? { type, ends, count: 0, issuance: 0, renewal: 0 }
      counts.set(`${type} ${ends}`, {
        ...before,
        count: before.count + 1,
        issuance: before.issuance + Number(issuance === 'failed'),
        renewal: before.renewal + Number(renewal === 'failed'),
      })
    }
    if (rows.length < countedAtOnce) return [...counts.values()]
    after = rows.at(-1)!.id
  }
}

/** Counts the certificates that something uses, and lists those of them that end by a time, at most `limit`, the first first. */
export async function certificatesInUse(query: Queries, until: string, limit: number) {
  const used = acrossProjects(query)
    .selectFrom('certificate')
    .where('not_valid_after', 'is not', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('certificate_use')
          .select('certificate_id')
          .whereRef('certificate_use.certificate_id', '=', 'certificate.id'),
      ),
    )
  const { all } = await used.select(({ fn }) => fn.countAll().as('all')).executeTakeFirstOrThrow()
  const ending = await used
    .select(['id', 'project_id', 'name', 'type', 'not_valid_after', 'error_code'])
    .where('not_valid_after', '<', until)
    .orderBy('not_valid_after')
    .orderBy('id')
    .limit(limit)
    .execute()
  return { all: Number(all), ending }
}

/** The next times at which certificates end. */
export const certificateEnds: Events = ({ db }, afterMs, limit) => {
  const ends = { table: 'certificate', column: 'not_valid_after', holds: 'timestamp', type: 'certificate' } as const
  return eventsOfRows(db.query, { ...ends, event: 'certificate_ends' }, afterMs, limit)
}
