/** Opens a database by its URL. */
import type { Clock } from '../process/clock.ts'
import type { Database } from './db.ts'
import type { DatabaseUrl } from './dialect.ts'
import { openGrouped } from './group-commit.ts'
import type { PostgresOptions } from './pool.ts'

export interface OpenOptions {
  readonly clock: Clock
  readonly postgres?: PostgresOptions
  /** False leaves a missing or foreign SQLite file untouched. */
  readonly create?: boolean
  /**
   * The clock of a SQLite database, by which leases and pauses last; that of the machine by default. Whoever moves it has to
   * know what is to come, so that such a database tells whether what was read has changed (`Database.watch`).
   */
  readonly databaseNow?: () => number
  /** The data that a database in memory begins with, as `Database.image` gave them. */
  readonly image?: Uint8Array
}

/**
 * Opens the database at `url`. Errors: those of the file system, such as `ENOENT` for a missing file with `create:
 * false`.
 */
export async function openDatabase(
  url: DatabaseUrl,
  { clock, postgres, create = true, databaseNow, image }: OpenOptions,
): Promise<Database> {
  if (url.engine === 'sqlite') {
    const isWatched = databaseNow !== undefined
    return openGrouped(url.path, clock, { create, now: databaseNow ?? Date.now, image, isWatched })
  }
  // Loaded only when PostgreSQL is used.
  const { openPooled } = await import('./postgres.ts')
  return openPooled(url.url, clock, postgres)
}
