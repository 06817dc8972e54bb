/** Migrates databases quickly, because most tests begin with an empty one. */
import { sql } from 'kysely'
import type { Database, Transaction } from '../../../src/kernel/data/db.ts'
import type { DatabaseUrl } from '../../../src/kernel/data/dialect.ts'
import { migrate } from '../../../src/kernel/data/migrate.ts'
import { migrations } from '../../../src/migrations/index.ts'

/** The schema of the first SQLite database in memory, as statements that take a quarter of the time of migrations. */
let copy: readonly string[] | undefined

/** Migrates a database. One in memory is always new, so it gets a copy of the first schema. */
export async function bringUp(db: Database, url: DatabaseUrl): Promise<void> {
  const isNew = url.engine === 'sqlite' && url.path === ':memory:'
  if (isNew && copy) {
    const statements = copy
    await db.transact(async (tx) => {
      for (const statement of statements) await sql.raw(statement).execute(tx.query)
    })
  }
  await migrate(db, migrations)
  if (isNew) copy ??= await db.transact(statementsOf)
}

async function statementsOf(tx: Transaction): Promise<string[]> {
  const ask = async <Row>(query: string) => (await sql.raw<Row>(query).execute(tx.query)).rows
  const made = await ask<{ type: string; name: string; sql: string }>(
    `select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by type <> 'table'`,
  )
  const statements = made.map(({ sql }) => sql)
  for (const { name } of made.filter(({ type }) => type === 'table')) {
    const rows = await ask<Record<string, string | number | null>>(`select * from ${name}`)
    for (const row of rows)
      statements.push(`insert into ${name} values (${Object.values(row).map(literal).join(', ')})`)
  }
  return statements
}

const literal = (value: string | number | null) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
