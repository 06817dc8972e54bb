/** The ids that the database knows, of all Projects together, help to find what it does not know. */
import type { Queries } from '../data/db.ts'
import { acrossProjects, type TenantTable } from '../data/scoped.ts'

/** All ids in some tables. */
export async function idsIn(query: Queries, tables: readonly TenantTable[]): Promise<ReadonlySet<number>> {
  const all = await Promise.all(tables.map((table) => acrossProjects(query).selectFrom(table).select('id').execute()))
  return new Set(all.flat().map(({ id }) => id))
}
