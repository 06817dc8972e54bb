/** Queries on the contents of Projects. */
import { type Kysely, sql } from 'kysely'
import { families } from '../families.ts'
import type { EveryTable, Queries } from '../kernel/data/db.ts'
import type { ProjectId } from '../kernel/scope.ts'

interface Kind {
  readonly path: string
  readonly type: keyof EveryTable
}

/** The kinds of resources that count, by path: those that belong to a Project and to nothing else. */
export const kinds: readonly Kind[] = families.flatMap(({ name, limited }) =>
  limited.filter(({ path }) => path === name),
)

export const countedPaths: readonly string[] = kinds.map(({ path }) => path)

/** Counts the resources of each kind in some Projects; kinds of which there are none are left out. */
export async function countResources(
  query: Queries,
  ids: readonly ProjectId[],
): Promise<Map<ProjectId, Record<string, number>>> {
  const found = new Map(ids.map((id): [ProjectId, Record<string, number>] => [id, {}]))
  if (ids.length === 0) return found
  const tables = query as unknown as Kysely<Record<string, { project_id: ProjectId }>>
  for (const { path, type } of kinds) {
    const rows = await tables
      .selectFrom(type as string)
      .select(['project_id', sql<number>`count(*)`.as('total')])
      .where('project_id', 'in', ids)
      .groupBy('project_id')
      .execute()
    for (const { project_id, total } of rows) found.get(project_id)![path] = Number(total)
  }
  return found
}

/** Those of some ids that are resources of a kind in some Projects. */
export async function presentAmong(
  query: Queries,
  projects: readonly ProjectId[],
  { type }: Kind,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const tables = query as unknown as Kysely<Record<string, { id: number; project_id: ProjectId }>>
  const rows = await tables
    .selectFrom(type as string)
    .select('id')
    .where('project_id', 'in', projects)
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
