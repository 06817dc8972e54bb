/** Opens the database. A server creates it and migrates its schema; other commands use it as it is. */
import { resolve } from 'node:path'
import type { Database } from '../kernel/data/db.ts'
import { type DatabaseUrl, databaseFailure, fileOf, isInMemory, isTrouble, locationOf } from '../kernel/data/dialect.ts'
import { migrate, schemaState } from '../kernel/data/migrate.ts'
import { type OpenOptions, openDatabase } from '../kernel/data/open.ts'
import type { PostgresOptions } from '../kernel/data/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Clock, runningClock } from '../kernel/process/clock.ts'
import { migrations } from '../migrations/index.ts'
import { CommandFailure } from './failure.ts'

/** How long a start waits for a database that does not answer because it, or this machine, is too busy, in milliseconds. */
const patienceMs = 60_000

/** The time that a statement of a migration may take on PostgreSQL, in milliseconds. */
const migrationMs = 24 * 3_600_000

/** The patience of a start with a PostgreSQL that is there and does not take a connection in time. */
export interface StartPatience extends Required<Pick<PostgresOptions, 'triesAgain'>> {
  /** From now on, callers wait, and are told that they may repeat their request. */
  end(): void
}

/** Begins to be patient; `wait` is called when that is needed first. */
export function startPatience(wait: () => void = () => undefined): StartPatience {
  let until = performance.now() + patienceMs
  let isNeeded = false
  return {
    triesAgain() {
      if (performance.now() > until) return false
      if (!isNeeded) wait()
      isNeeded = true
      return true
    },
    end() {
      until = Number.NEGATIVE_INFINITY
    },
  }
}

/** Opens and migrates. Errors: `CommandFailure` when the database is away or newer than this program. */
export async function openMigrated(
  url: DatabaseUrl,
  clock = runningClock(),
  options: Omit<OpenOptions, 'clock'> = {},
): Promise<Database> {
  let db: Database | undefined
  try {
    db = await openDatabase(url, { clock, ...options })
    await migrateAt(url, db, { clock, triesAgain: options.postgres?.triesAgain })
    return db
  } catch (error) {
    await db?.close().catch(() => undefined)
    throw unusable(url, error)
  }
}

/**
 * Brings the schema up to date. On PostgreSQL a change of a large table may take long, and other processes that start wait
 * for it: both need more time than a request has.
 */
async function migrateAt(
  url: DatabaseUrl,
  db: Database,
  { clock, triesAgain = () => false }: { readonly clock: Clock; readonly triesAgain: (() => boolean) | undefined },
): Promise<void> {
  if (!db.dialect.shared) {
    return migrate(db, migrations, async () => (await import('../migrations/result.ts')).result)
  }
  if ((await schemaState(db, migrations)) === 'current') return
  const patient = await openDatabase(url, { clock, postgres: { connections: 1, statementMs: migrationMs, triesAgain } })
  try {
    await migrate(patient, migrations)
  } finally {
    await patient.close()
  }
}

/** The failure that reports in one line why a database cannot be used. */
export function unusable(url: DatabaseUrl, error: unknown): CommandFailure {
  return new CommandFailure(`cannot use the database ${locationOf(url)}: ${reason(error)}`)
}

/** Turns an error into a one-line failure when the database caused it; returns any other error unchanged. */
export function explained(url: DatabaseUrl, error: unknown): unknown {
  if (error instanceof CommandFailure) return error
  return isTrouble(error) || isTrouble((error as Error).cause) ? unusable(url, error) : error
}

function reason(error: unknown): string {
  const cause = error instanceof ApiError ? error.cause : error
  const kind = databaseFailure(cause)?.kind
  if (kind === 'busy') return 'another process keeps it locked'
  const text = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause)
  return kind === 'damaged' ? `it is damaged (${text}); wolke restore puts a backup in its place` : text
}

/**
 * Runs `work` on a database that a server has created and migrated. Errors: `CommandFailure` that says what to do when
 * there is no such database.
 */
export async function withDatabase<T>(url: DatabaseUrl, work: (db: Database) => Promise<T>): Promise<T> {
  if (isInMemory(url)) throw new CommandFailure('the database "memory" ends with its server', 2)
  const db = await openExisting(url)
  try {
    return await work(db)
  } catch (error) {
    throw explained(url, error)
  } finally {
    await db.close()
  }
}

async function openExisting(url: DatabaseUrl): Promise<Database> {
  let db: Database | undefined
  try {
    db = await openDatabase(url, { clock: runningClock(), create: false, postgres: startPatience() })
    const state = await schemaState(db, migrations)
    if (state === 'current') return db
    throw state === 'none' ? noDatabase(url) : outdated(url)
  } catch (error) {
    await db?.close()
    if (error instanceof CommandFailure) throw error
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? noDatabase(url) : unusable(url, error)
  }
}

/** The usual cause is running a command in the wrong directory. */
function noDatabase(url: DatabaseUrl): CommandFailure {
  const path = fileOf(url)
  const place = path === undefined ? locationOf(url) : resolve(path)
  return new CommandFailure(
    `there is no Wolke database at ${place}: --database (WOLKE_DATABASE) names the database that wolke serve uses; the first start of wolke serve creates it`,
  )
}

function outdated(url: DatabaseUrl): CommandFailure {
  return new CommandFailure(
    `the database ${locationOf(url)} was written by an older version of Wolke: start wolke serve, which migrates it`,
  )
}
