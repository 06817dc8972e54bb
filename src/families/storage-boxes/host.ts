/** What is asked about the Storage Boxes of many Projects at once. */
import type { Queries } from '../../kernel/data/db.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'

/** A box with its Project, and the time of its next snapshot. */
export interface BoxOfProject {
  readonly id: number
  readonly scope: ProjectScope
  readonly planNext: string | null
}

interface Row {
  readonly id: number
  readonly project_id: ProjectId
  readonly plan_next: string | null
}

const found = ({ id, project_id: projectId, plan_next: planNext }: Row): BoxOfProject => {
  return { id, scope: { projectId }, planNext }
}

/** Boxes whose plans have a snapshot at a time or before, by that and past one of them. */
export async function dueBoxes(
  query: Queries,
  now: string,
  after: BoxOfProject | undefined,
  limit: number,
): Promise<readonly BoxOfProject[]> {
  const due = acrossProjects(query)
    .selectFrom('storage_box')
    .select(['id', 'project_id', 'plan_next'])
    .where('plan_next', '<=', now)
    .orderBy('plan_next')
    .orderBy('id')
    .limit(limit)
  const rows = after
    ? due.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('plan_next', 'id'), '>', tuple(after.planNext as string, after.id)),
      )
    : due
  return (await rows.execute()).map(found)
}

/** Made boxes past an id. */
export async function boxesAfter(query: Queries, after: number, limit: number): Promise<readonly BoxOfProject[]> {
  const rows = await acrossProjects(query)
    .selectFrom('storage_box')
    .select(['id', 'project_id', 'plan_next'])
    .where('id', '>', after)
    .where('status', '=', 'active')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(found)
}

/** How many boxes of each type some Projects have in each location. */
export async function boxesByPrice(query: Queries, ids: readonly ProjectId[]) {
  return acrossProjects(query)
    .selectFrom('storage_box')
    .select(({ fn }) => ['project_id', 'storage_box_type', 'location', fn.countAll().as('count')])
    .where('project_id', 'in', ids)
    .groupBy(['project_id', 'storage_box_type', 'location'])
    .execute()
}
