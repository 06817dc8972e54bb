/** The audit log has an entry for each backup of the database. */
import { sql } from 'kysely'
import type { Queries } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'

/** The operation in the entry of a backup. An index has these entries alone, so statements name it as a literal (migration 0048). */
export const backupOperation = 'wolke backup'

/** The time of the latest backup, in milliseconds since the epoch; undefined when none is known. */
export async function lastBackup(query: Queries): Promise<number | undefined> {
  const entry = await acrossProjects(query)
    .selectFrom('audit')
    .select('time')
    .where('operation', '=', sql.lit(backupOperation))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return entry && Date.parse(entry.time)
}
