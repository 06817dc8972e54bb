/**
 * Migrations are an ordered list. Each runs in its own transaction together with the row that records it, so a crash
 * leaves it complete or not started. A database with migrations that this program does not know is refused.
 */
import { sql } from 'kysely'
import type { Database, Queries, Transaction } from './db.ts'
import { databaseFailure } from './dialect.ts'

export interface Migration {
  /** Unique and never changed once released, such as `0001-kernel`. */
  readonly id: string
  /** Statements in portable SQL, executed in order. */
  readonly statements: readonly string[]
}

interface MigrationRow {
  readonly id: string
  readonly position: number
}

declare module './db.ts' {
  interface Tables {
    migration: MigrationRow
  }
}

/** A database has a migration that this program does not know. */
export class UnknownMigration extends Error {}

/** Applies all missing migrations. Safe to call from several processes at once. */
export async function migrate(db: Database, migrations: readonly Migration[]): Promise<void> {
  for (;;) {
    const more = await db.transact((tx) => applyNext(tx, migrations))
    if (!more) return
  }
}

/** The state of the schema, without changing it. Throws when it is newer than `migrations`. */
export async function schemaState(db: Database, migrations: readonly Migration[]): Promise<'none' | 'old' | 'current'> {
  try {
    const applied = await appliedTo(db.query, migrations)
    return applied === 0 ? 'none' : applied < migrations.length ? 'old' : 'current'
  } catch (error) {
    if (databaseFailure(error)?.kind === 'no table') return 'none'
    throw error
  }
}

/** Number of migrations applied to a database. Throws when it has one that this program does not know. */
async function appliedTo(query: Queries, migrations: readonly Migration[]): Promise<number> {
  const applied = await query.selectFrom('migration').selectAll().orderBy('position').execute()
  const unknown = applied.find((row, index) => migrations[index]?.id !== row.id)
  if (unknown) {
    throw new UnknownMigration(
      `the database has the schema change '${unknown.id}', which this version of Wolke does not know; use a newer version`,
    )
  }
  return applied.length
}

async function applyNext(tx: Transaction, migrations: readonly Migration[]): Promise<boolean> {
  // Serializes concurrent starts: the second one sees what the first one did.
  await tx.dialect.lockKeys(['migration'])?.execute(tx.query)
  await execute(tx, 'create table if not exists migration (id text primary key, position integer not null)')
  const applied = await appliedTo(tx.query, migrations)
  const next = migrations[applied]
  if (!next) return false
  for (const statement of next.statements) await execute(tx, statement)
  await tx.query.insertInto('migration').values({ id: next.id, position: applied }).execute()
  return true
}

async function execute(tx: Transaction, statement: string): Promise<void> {
  await sql.raw(tx.dialect.ddl(statement)).execute(tx.query)
}
