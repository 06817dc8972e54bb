/** The tables of the schema, as the migrations make them and as a database knows them. */
import { sql } from 'kysely'
import type { Database } from '../../../src/kernel/data/db.ts'
import { migrations } from '../../../src/migrations/index.ts'

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

/** Every row of every table that the database itself knows, by table. */
export async function everyTable(db: Database): Promise<Map<string, readonly unknown[]>> {
  const catalogue = db.dialect.shared
    ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' order by 1`
    : sql<{ name: string }>`select name from sqlite_master where type = 'table' order by 1`
  const found = new Map<string, readonly unknown[]>()
  for (const { name } of (await catalogue.execute(db.query)).rows) {
    found.set(name, (await sql`select * from ${sql.table(name)}`.execute(db.query)).rows)
  }
  return found
}
