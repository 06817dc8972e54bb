/** Which zones of all Projects are due. */
import { sql } from 'kysely'
import type { Queries } from '../../../kernel/data/db.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import type { DueDelegation } from './store.ts'

/**
 * Zones whose parents are to be asked by now: of each Project those that have waited the longest, and the first of every
 * Project before the second of any.
 */
export async function dueDelegations(
  query: Queries,
  nowMs: number,
  { inAll, perProject }: { readonly inAll: number; readonly perProject: number },
): Promise<DueDelegation[]> {
  const place = sql<number>`row_number() over (partition by project_id order by delegation_due, id)`
  const due = acrossProjects(query)
    .selectFrom('zone')
    .select(['id as due_id', place.as('place')])
    .where('delegation_due', '<=', nowMs)
  const rows = await acrossProjects(query)
    .selectFrom('zone')
    .innerJoin(due.as('due'), 'due_id', 'zone.id')
    .select(['zone.id', 'project_id', 'name', 'created', 'delegation_due'])
    .where('place', '<=', perProject)
    .orderBy('place')
    .orderBy('delegation_due')
    .limit(inAll)
    .execute()
  return rows.map(({ id, project_id: projectId, name, created, delegation_due: due }) => {
    return { id, name, scope: { projectId }, created, due }
  })
}
