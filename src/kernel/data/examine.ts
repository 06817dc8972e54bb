/** Looks at a SQLite database that somebody else may have written. */
import { sql } from 'kysely'
import type { Queries } from './db.ts'

/** Says what is wrong with the pages or the rows of a database; undefined when nothing is. */
export async function damageOf(query: Queries): Promise<string | undefined> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(query)
  if (rows[0]?.integrity_check !== 'ok') return 'pages that do not belong together'
  const missing = await sql`pragma foreign_key_check`.execute(query)
  return missing.rows.length > 0 ? 'rows that refer to missing ones' : undefined
}

/** All tables, indexes and triggers of a database as text: two that went through the same migrations have the same. */
export async function schemaText(query: Queries): Promise<string> {
  const { rows } = await sql`select type, name, tbl_name, sql from sqlite_schema order by type, name`.execute(query)
  return JSON.stringify(rows)
}
