/** What is asked about the volumes of many Projects at once. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectId } from '../../kernel/scope.ts'

/** The size of all volumes of some Projects together, in GB. */
export async function volumeSizes(query: Queries, ids: readonly ProjectId[]) {
  return acrossProjects(query)
    .selectFrom('volume')
    .select(({ fn }) => ['project_id', fn.sum('size').as('size')])
    .where('project_id', 'in', ids)
    .groupBy('project_id')
    .execute()
}

/** The ids of the volumes of all Projects at some locations. */
export async function volumesAt(query: Queries, locations: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await acrossProjects(query)
    .selectFrom('volume')
    .select('id')
    .where('location', 'in', locations)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
