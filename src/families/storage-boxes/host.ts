/** These queries see the Storage Boxes of many Projects at once. */
import { sql } from 'kysely'
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

/** Adds up the boxes of all Projects by status; figures are bytes but for `boxes` and `full`, of whose capacity 5 % is left. */
export async function totalsOfBoxes(query: Queries) {
  const rows = await acrossProjects(query)
    .selectFrom('storage_box')
    .select(({ fn }) => [
      'status',
      fn.countAll().as('boxes'),
      fn.sum('capacity').as('capacity'),
      fn.sum('size_data').as('data'),
      fn.sum('size_snapshots').as('snapshots'),
      sql<number>`sum(case when size * 20 >= capacity * 19 then 1 else 0 end)`.as('full'),
    ])
    .groupBy('status')
    .execute()
  return rows.map(({ status, boxes, capacity, data, snapshots, full }) => ({
    ...{ status, boxes: Number(boxes), capacity: Number(capacity) },
    ...{ data: Number(data), snapshots: Number(snapshots), full: Number(full) },
  }))
}

export async function countSnapshots(query: Queries): Promise<number> {
  const { all } = await acrossProjects(query)
    .selectFrom('storage_box_snapshot')
    .select(({ fn }) => fn.countAll().as('all'))
    .executeTakeFirstOrThrow()
  return Number(all)
}

/** A box with the generation that is in force. */
export interface InForce {
  readonly id: number
  readonly scope: ProjectScope
  readonly generation: number
}

const inForce = (query: Queries) =>
  acrossProjects(query)
    .selectFrom('storage_box_state')
    .select(['id', 'project_id', 'generation'])
    .whereRef('generation_in_force', '=', 'generation')

const foundInForce = ({ id, project_id: projectId, generation }: Omit<Row, 'plan_next'> & { generation: number }) => {
  return { id, scope: { projectId }, generation }
}

/** The boxes past an id of which the infrastructure has what is desired. */
export async function boxesInForce(query: Queries, after: number, limit: number): Promise<readonly InForce[]> {
  const rows = await inForce(query).where('id', '>', after).orderBy('id').limit(limit).execute()
  return rows.map(foundInForce)
}

/** Those of some boxes of which the infrastructure has what is desired. */
export async function theseInForce(query: Queries, ids: readonly number[]): Promise<readonly InForce[]> {
  const rows = await inForce(query).where('id', 'in', ids).execute()
  return rows.map(foundInForce)
}

/** The Project of a box of which something is desired; undefined for one that is gone. */
export async function scopeOfBox(query: Queries, id: number): Promise<ProjectScope | undefined> {
  const row = await acrossProjects(query)
    .selectFrom('storage_box_state')
    .select('project_id')
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { projectId: row.project_id }
}

/** Counts the boxes of each type that some Projects have in each location. */
export async function boxesByPrice(query: Queries, ids: readonly ProjectId[]) {
  return acrossProjects(query)
    .selectFrom('storage_box')
    .select(({ fn }) => ['project_id', 'storage_box_type', 'location', fn.countAll().as('count')])
    .where('project_id', 'in', ids)
    .groupBy(['project_id', 'storage_box_type', 'location'])
    .execute()
}
