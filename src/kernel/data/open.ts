/** Opens whichever database is asked for. */
import type { Clock } from '../process/clock.ts'
import type { Database } from './db.ts'
import type { DatabaseUrl } from './dialect.ts'
import { openGrouped } from './group-commit.ts'
import type { PostgresOptions } from './pool.ts'

export interface OpenOptions {
  readonly clock: Clock
  readonly postgres?: PostgresOptions
  /** False leaves a SQLite file that is not there, or is not ours, as it is. */
  readonly create?: boolean
}

/** Opens the database at `url`. Errors: those of the file system; `ENOENT` where there is no file and none is made. */
export async function openDatabase(
  url: DatabaseUrl,
  { clock, postgres, create = true }: OpenOptions,
): Promise<Database> {
  if (url.engine === 'sqlite') return openGrouped(url.path, clock, create)
  // Loaded only for those who have one.
  const { openPooled } = await import('./postgres.ts')
  return openPooled(url.url, clock, postgres)
}
