/**
 * Migrations are an ordered list. Each runs in its own transaction together with the row that records it, so a crash
 * leaves it complete or not started. A database with migrations that this program does not know is refused, unless they
 * only add to what it uses. A new SQLite database is made in one transaction, with the schema that they all lead to.
 */
import { sql } from 'kysely'
import type { Database, Queries, Transaction } from './db.ts'
import { databaseFailure } from './dialect.ts'

export interface Migration {
  /** Unique and never changed once released, such as `0001-kernel`. */
  readonly id: string
  /** Statements in portable SQL, executed in order. */
  readonly statements: readonly string[]
  /**
   * The programs that do not know it and work on beside it (ADR 52). `'expands'`: all that worked before, because it only adds
   * what they need not know. `{ contracts: id }`: those that know the migration `id`, because it takes away what only
   * programs before that use. None by default.
   */
  readonly beside?: 'expands' | { readonly contracts: string }
}

interface MigrationRow {
  readonly id: string
  readonly position: number
}

/** A program has to know the first `known` migrations. There is one row. */
interface SchemaFloorRow {
  readonly id: number
  readonly known: number
}

declare module './db.ts' {
  interface Tables {
    migration: MigrationRow
    schema_floor: SchemaFloorRow
  }
}

/** The migration that makes the table of the floor. */
export const floorMigration = '0051-schema-floor'

/** A database has a migration that this program does not know, and beside which it must not work. */
export class UnknownMigration extends Error {}

/** Statements that make the schema of a new SQLite database at once, as `resultOn` gave them. */
export type Result = readonly string[]

/**
 * Applies all missing migrations. Safe to call from several processes at once. `result` is asked for when the database is
 * a new one on SQLite.
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
  result?: () => Promise<Result>,
): Promise<void> {
  const state = await schemaState(db, migrations)
  if (state === 'current') return
  const whole = state === 'none' && !db.dialect.shared ? await result?.() : undefined
  for (;;) {
    const more = await db.transact((tx) => applyNext(tx, migrations, whole))
    if (!more) return
  }
}

/**
 * What all migrations lead to on a new SQLite database in memory, which `db` is. Errors: one that names a table into which
 * they write rows, as those would be missing.
 */
export async function resultOn(db: Database, migrations: readonly Migration[]): Promise<Result> {
  await migrate(db, migrations)
  const rowsOf = async <T>(text: string) => (await sql.raw<T>(text).execute(db.query)).rows
  type Made = { readonly type: string; readonly name: string; readonly sql: string }
  const own = `select type, name, sql from sqlite_master where sql is not null and name <> 'migration' order by rowid`
  const made = await rowsOf<Made>(own)
  for (const { name } of made.filter(({ type, name }) => type === 'table' && name !== 'schema_floor')) {
    const rows = await rowsOf(`select 1 from ${name} limit 1`)
    if (rows.length > 0) throw new Error(`migrations write rows of ${name}, which a new database would not have`)
  }
  return made.map((one) => one.sql)
}

/**
 * The state of the schema, without changing it; `current` is also a newer one beside which this program works. Throws when
 * this program must not use it.
 */
export async function schemaState(db: Database, migrations: readonly Migration[]): Promise<'none' | 'old' | 'current'> {
  try {
    const applied = await appliedTo(db.query, migrations)
    return applied === 0 ? 'none' : applied < migrations.length ? 'old' : 'current'
  } catch (error) {
    if (databaseFailure(error)?.kind === 'no table') return 'none'
    throw error
  }
}

/** Returns the number of migrations of a database, and the last one. */
export async function schemaOf(query: Queries): Promise<{ migrations: number; last: string }> {
  const rows = await query.selectFrom('migration').select('id').orderBy('position').execute()
  return { migrations: rows.length, last: rows.at(-1)?.id ?? '' }
}

/** Number of migrations applied to a database. Throws when this program must not use it. */
async function appliedTo(query: Queries, migrations: readonly Migration[]): Promise<number> {
  const applied = await query.selectFrom('migration').selectAll().orderBy('position').execute()
  const unknown = applied.find((row, index) => migrations[index]?.id !== row.id)
  if (unknown && (unknown.position < migrations.length || (await floorOf(query)) > migrations.length)) {
    const last = applied.at(-1)!.id
    throw new UnknownMigration(
      `the database has the schema ${last} with the change '${unknown.id}', which this version of Wolke, of the schema ${migrations.at(-1)?.id}, does not know; use a newer version, or restore a backup from before`,
    )
  }
  return applied.length
}

/** Number of migrations that a program has to know at least. */
async function floorOf(query: Queries): Promise<number> {
  const row = await query.selectFrom('schema_floor').select('known').executeTakeFirst()
  return Number(row?.known ?? 0)
}

/** Records which programs may use the database that has the first `applied` migrations. */
async function recordFloor({ query }: Transaction, migrations: readonly Migration[], applied: number): Promise<void> {
  const done = migrations.slice(0, applied)
  if (!done.some(({ id }) => id === floorMigration)) return
  const known = Math.max(...done.map((migration, position) => knownBeside(migration, position, done)))
  await query
    .insertInto('schema_floor')
    .values({ id: 1, known })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ known }))
    .execute()
}

/** Number of migrations that a program has to know to work on beside one. */
function knownBeside({ id, beside }: Migration, position: number, migrations: readonly Migration[]): number {
  if (beside === 'expands') return 0
  if (beside === undefined) return position + 1
  const needed = migrations.findIndex((migration) => migration.id === beside.contracts)
  if (needed < 0) throw new Error(`the migration ${id} contracts after '${beside.contracts}', which is not before it`)
  return needed + 1
}

async function applyNext(
  tx: Transaction,
  migrations: readonly Migration[],
  whole: Result | undefined,
): Promise<boolean> {
  // Serializes concurrent starts: the second one sees what the first one did.
  await tx.dialect.lockKeys(['migration'])?.execute(tx.query)
  await execute(tx, 'create table if not exists migration (id text primary key, position integer not null)')
  const applied = await appliedTo(tx.query, migrations)
  if (applied === 0 && whole) {
    for (const statement of whole) await sql.raw(statement).execute(tx.query)
    await tx.query
      .insertInto('migration')
      .values(migrations.map(({ id }, position) => ({ id, position })))
      .execute()
    await recordFloor(tx, migrations, migrations.length)
    return false
  }
  const next = migrations[applied]
  if (!next) return false
  for (const statement of next.statements) await execute(tx, statement)
  await tx.query.insertInto('migration').values({ id: next.id, position: applied }).execute()
  await recordFloor(tx, migrations, applied + 1)
  return true
}

async function execute(tx: Transaction, statement: string): Promise<void> {
  await sql.raw(tx.dialect.ddl(statement)).execute(tx.query)
}
