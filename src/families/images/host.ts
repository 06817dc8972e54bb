/** What the background job of images reads: it works for all Projects. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../kernel/scope.ts'

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
