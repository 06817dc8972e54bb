/** What the database knows of ids, of all Projects together. */
import type { Queries } from '../data/db.ts'
import { acrossProjects, type TenantTable } from '../data/scoped.ts'
import type { ProjectId } from '../scope.ts'

/** All ids in some tables. */
export async function idsIn(query: Queries, tables: readonly TenantTable[]): Promise<ReadonlySet<number>> {
  const all = await Promise.all(tables.map((table) => acrossProjects(query).selectFrom(table).select('id').execute()))
  return new Set(all.flat().map(({ id }) => id))
}

/** The Project of what has an id in a table; undefined where nothing has it. */
export async function projectOf(query: Queries, table: TenantTable, id: number): Promise<ProjectId | undefined> {
  const row = await acrossProjects(query).selectFrom(table).select('project_id').where('id', '=', id).executeTakeFirst()
  return row?.project_id ?? undefined
}
