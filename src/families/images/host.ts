/** What is asked about the images of many Projects at once. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'

/** The size of all snapshots of some Projects together, in MB. */
export async function snapshotSizes(query: Queries, ids: readonly ProjectId[]) {
  return acrossProjects(query)
    .selectFrom('image')
    .select(({ fn }) => ['project_id', fn.sum('image_size_mb').as('mb')])
    .where('project_id', 'in', ids)
    .where('type', '=', 'snapshot')
    .groupBy('project_id')
    .execute()
}

/** Deleted images of all Projects, past an id, whose data is still to be removed. */
export async function pendingRemovals(
  query: Queries,
  after: number,
  limit: number,
): Promise<{ id: number; serverId: number; scope: ProjectScope }[]> {
  const rows = await acrossProjects(query)
    .selectFrom('image_removal')
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: row.id, serverId: row.server_id, scope: { projectId: row.project_id } }))
}
