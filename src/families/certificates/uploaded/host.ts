/** What the background job of uploaded certificates reads across Projects. */
import { sql } from 'kysely'
import type { Queries } from '../../../kernel/data/db.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import { type ExpiringCertificate, firstNoticeMs } from './domain.ts'

/** Uploaded certificates that expire soon but have not expired, soonest first, in pages. */
export async function expiringCertificates(
  query: Queries,
  nowMs: number,
  after: Pick<ExpiringCertificate, 'id' | 'notValidAfter'> | undefined,
  limit: number,
): Promise<ExpiringCertificate[]> {
  const isNext = after
    ? sql<boolean>`(not_valid_after, id) > (${after.notValidAfter}, ${after.id})`
    : sql<boolean>`not_valid_after > ${timestamp(nowMs)}`
  const rows = await acrossProjects(query)
    .selectFrom('certificate')
    .select(['id', 'project_id', 'name', 'domain_names', 'fingerprint', 'not_valid_after'])
    .where('type', '=', sql<'uploaded'>`'uploaded'`)
    .where('not_valid_after', '<=', timestamp(nowMs + firstNoticeMs))
    .where(isNext)
    .orderBy('not_valid_after')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    scope: { projectId: row.project_id },
    name: row.name,
    domainNames: JSON.parse(row.domain_names) as string[],
    fingerprint: row.fingerprint,
    notValidAfter: row.not_valid_after!,
  }))
}

/** Uploaded certificates end, and their owners hear of it before. */
export const uploadedEnds = {
  table: 'certificate',
  column: 'not_valid_after',
  holds: 'timestamp',
  type: 'certificate',
  where: "type = 'uploaded'",
} as const
