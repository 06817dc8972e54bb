/** What the background job of managed certificates reads across Projects. */
import type { Queries } from '../../../kernel/data/db.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import type { DueHint, DueRenewal } from './domain.ts'

/** Certificates whose renewal is to be looked at, longest due first. */
export async function dueRenewals(query: Queries, nowMs: number, limit: number): Promise<DueRenewal[]> {
  const rows = await acrossProjects(query)
    .selectFrom('certificate')
    .select(['id', 'project_id'])
    .where('schedule_at', '<=', nowMs)
    .orderBy('schedule_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, project_id: projectId }) => ({ id, scope: { projectId } }))
}

/** Certificates about whose renewal the authority is to be asked, longest due first. */
export async function dueHints(query: Queries, nowMs: number, limit: number): Promise<DueHint[]> {
  const rows = await acrossProjects(query)
    .selectFrom('certificate')
    .select(['id', 'project_id', 'certificate'])
    .where('hint_at', '<=', nowMs)
    .orderBy('hint_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id, project_id: projectId, certificate }) => ({ id, scope: { projectId }, chain: certificate! }))
}
