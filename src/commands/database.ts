/** Opens the database: a server makes it and brings its schema up to date, other commands take it as it is. */
import { resolve } from 'node:path'
import type { Database } from '../kernel/data/db.ts'
import { type DatabaseUrl, databaseFailure, fileOf, isInMemory, isTrouble, locationOf } from '../kernel/data/dialect.ts'
import { migrate, schemaState } from '../kernel/data/migrate.ts'
import { openDatabase } from '../kernel/data/open.ts'
import type { PostgresOptions } from '../kernel/data/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import { runningClock } from '../kernel/process/clock.ts'
import { migrations } from '../migrations/index.ts'
import { CommandFailure } from './failure.ts'

/** Opens and migrates. Errors: `CommandFailure` when the database is away or newer than this program. */
export async function openMigrated(
  url: DatabaseUrl,
  clock = runningClock(),
  postgres?: PostgresOptions,
): Promise<Database> {
  let db: Database | undefined
  try {
    db = await openDatabase(url, { clock, ...(postgres ? { postgres } : {}) })
    await migrate(db, migrations)
    return db
  } catch (error) {
    await db?.close().catch(() => undefined)
    throw unusable(url, error)
  }
}

/** Why a database cannot be used, in one line. */
export function unusable(url: DatabaseUrl, error: unknown): CommandFailure {
  return new CommandFailure(`cannot use the database ${locationOf(url)}: ${reason(error)}`)
}

/** What went wrong is told in one line when the database is the reason for it. */
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
 * Runs `work` on a database that a server has made and brought up to date. Errors: `CommandFailure` when it is none, which
 * says what to do.
 */
export async function withDatabase<T>(url: DatabaseUrl, work: (db: Database) => Promise<T>): Promise<T> {
  if (isInMemory(url)) throw new CommandFailure('the database "memory" is gone with its server: nothing is kept', 2)
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
    db = await openDatabase(url, { clock: runningClock(), create: false })
    const state = await schemaState(db, migrations)
    if (state === 'current') return db
    throw state === 'none' ? noDatabase(url) : outdated(url)
  } catch (error) {
    await db?.close()
    if (error instanceof CommandFailure) throw error
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? noDatabase(url) : unusable(url, error)
  }
}

/** What an operator meets in a wrong folder. */
function noDatabase(url: DatabaseUrl): CommandFailure {
  const path = fileOf(url)
  const place = path === undefined ? locationOf(url) : resolve(path)
  return new CommandFailure(
    `there is no Wolke database at ${place}: --database (WOLKE_DATABASE) names the one that wolke serve uses; its first start makes it`,
  )
}

function outdated(url: DatabaseUrl): CommandFailure {
  return new CommandFailure(
    `the database ${locationOf(url)} is of an older version of Wolke: start wolke serve, which brings it up to date`,
  )
}
