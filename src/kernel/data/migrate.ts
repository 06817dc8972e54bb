/**
 * Schema changes are an ordered list. Each runs in a transaction of its own together with the row that records it, so a
 * crash leaves it wholly done or not begun; a database that has more of them than this program knows is refused.
 */
import { sql } from 'kysely'
import type { Database, Transaction } from './db.ts'

export interface Migration {
  /** Unique and never changed once released, such as `0001-kernel`. */
  readonly id: string
  /** Statements in portable SQL, run in order. */
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

/** Brings the schema up to date. Safe to call from several processes at once. */
export async function migrate(db: Database, migrations: readonly Migration[]): Promise<void> {
  for (;;) {
    const more = await db.transact((tx) => applyNext(tx, migrations))
    if (!more) return
  }
}

async function applyNext(tx: Transaction, migrations: readonly Migration[]): Promise<boolean> {
  // Rivals queue here: the second one sees what the first one did.
  await tx.dialect.lockKeys(['migration'])?.execute(tx.query)
  await execute(tx, 'create table if not exists migration (id text primary key, position integer not null)')
  const applied = await tx.query.selectFrom('migration').selectAll().orderBy('position').execute()
  const unknown = applied.find((row, index) => migrations[index]?.id !== row.id)
  if (unknown) {
    throw new Error(
      `the database has the schema change '${unknown.id}', which this version of Wolke does not know; use a newer one`,
    )
  }
  const next = migrations[applied.length]
  if (!next) return false
  for (const statement of next.statements) await execute(tx, statement)
  await tx.query.insertInto('migration').values({ id: next.id, position: applied.length }).execute()
  return true
}

async function execute(tx: Transaction, statement: string): Promise<void> {
  await sql.raw(tx.dialect.ddl(statement)).execute(tx.query)
}
