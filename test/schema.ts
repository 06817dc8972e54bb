/** The tables of the schema, parsed from the migrations, and their content. */
import { type RawBuilder, sql } from 'kysely'
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

/** Tables that requests without effect write to as well, and those in which a job files actions that have ended. */
const besides = new Set(['audit', 'rate_limit', 'action_history', 'action_unfiled'])

/** All rows of all tables, or of one Project, as text: two dumps are equal when nothing changed. */
export async function dump(db: Database, projectId?: number): Promise<string> {
  const wanted = tables
    .filter(({ name, columns }) => !besides.has(name) && (projectId === undefined || columns.includes('project_id')))
    .map(({ name }) => name)
  const where = projectId === undefined ? sql`` : sql`where project_id = ${projectId}`
  const texts = db.dialect.shared ? await textsTogether(db, wanted, where) : await textsOneByOne(db, wanted, where)
  return wanted.map((name) => `${name}\n${texts[name] ?? ''}`).join('\n')
}

type Texts = Readonly<Record<string, string | null>>

/** One statement for all tables, because each statement is a trip to the server. */
async function textsTogether(db: Database, names: readonly string[], where: RawBuilder<unknown>): Promise<Texts> {
  const columns = names.map((name) => {
    const text = sql`(select string_agg(line, chr(10) order by line) from`
    return sql`${text} (select row.*::text as line from ${sql.table(name)} as row ${where}) as lines) as ${sql.ref(name)}`
  })
  const { rows } = await sql<Texts>`select ${sql.join(columns)}`.execute(db.query)
  return rows[0]!
}

async function textsOneByOne(db: Database, names: readonly string[], where: RawBuilder<unknown>): Promise<Texts> {
  const texts: Record<string, string> = {}
  for (const name of names) {
    const { rows } = await sql`select * from ${sql.table(name)} ${where}`.execute(db.query)
    const lines = rows.map((row) => JSON.stringify(row))
    texts[name] = lines.sort().join('\n')
  }
  return texts
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
