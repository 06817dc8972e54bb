/** The tables of the schema, parsed from the migrations, and their content. */
import { sql } from 'kysely'
import type { Database } from '../src/kernel/data/db.ts'
import { migrations } from '../src/migrations/index.ts'

/** A table with its columns, as the migrations create it. */
export interface SchemaTable {
  readonly name: string
  readonly columns: readonly string[]
  /** The primary key column; `id` when the key has several columns. */
  readonly key: string
}

/** Every table of the schema. */
export function schemaTables(statements = migrations.flatMap((migration) => migration.statements)): SchemaTable[] {
  const dropped = new Set(statements.map((statement) => /^drop table (\w+)$/.exec(statement)?.[1]))
  const renamed = new Map(
    statements.flatMap((statement) => {
      const [, table, before, after] = /^alter table (\w+) rename column (\w+) to (\w+)$/.exec(statement) ?? []
      return after ? [[`${table} ${before}`, after]] : []
    }),
  )
  const found = statements.flatMap((statement) => {
    const [, name, columns] = /^create table (\w+) \(([\s\S]*)\)$/.exec(statement) ?? []
    if (!name || !columns || dropped.has(name)) return []
    const names = columns.split('\n').flatMap((line) => line.split(/,(?![^(]*\))/))
    const key = names.flatMap((column) => /^\s*(\w+) (?:integer|text) primary key/.exec(column)?.[1] ?? [])[0] ?? 'id'
    const own = names.flatMap((column) => /^\s*(\w+) (?:integer|text)\b/.exec(column)?.[1] ?? [])
    const now = (column: string) => renamed.get(`${name} ${column}`) ?? column
    return [{ name, columns: own.map(now), key: now(key) }]
  })
  // A later migration that creates a table again replaces the earlier definition.
  return [...new Map(found.map((table) => [table.name, table])).values()]
}

const tables = schemaTables()

/** All rows of all tables, or of one Project, as text: two dumps are equal when nothing changed. */
export async function dump(db: Database, projectId?: number): Promise<string> {
  const wanted = tables.filter(
    ({ name, columns }) => name !== 'rate_limit' && (projectId === undefined || columns.includes('project_id')),
  )
  const where = projectId === undefined ? sql`` : sql`where project_id = ${projectId}`
  const parts = await Promise.all(
    wanted.map(async ({ name }) => {
      const { rows } = await sql`select * from ${sql.table(name)} ${where}`.execute(db.query)
      return [name, ...rows.map((row) => JSON.stringify(row)).sort()]
    }),
  )
  return parts.flat().join('\n')
}
