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
