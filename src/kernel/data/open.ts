/** Opens whichever database is asked for. */
import type { Clock } from '../process/clock.ts'
import type { Database } from './db.ts'
import type { DatabaseUrl } from './dialect.ts'
import { openGrouped } from './group-commit.ts'
import type { PostgresOptions } from './pool.ts'

/** Opens the database at `url`. */
export async function openDatabase(
  url: DatabaseUrl,
  { clock, postgres }: { clock: Clock; postgres?: PostgresOptions },
): Promise<Database> {
  if (url.engine === 'sqlite') return openGrouped(url.path, clock)
  // Loaded only for those who have one.
  const { openPooled } = await import('./postgres.ts')
  return openPooled(url.url, clock, postgres)
}
