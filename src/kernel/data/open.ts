/** Opens whichever database is asked for. */
import type { Clock } from '../clock.ts'
import type { Database } from '../db.ts'
import type { DatabaseUrl } from '../dialect.ts'
import { openGrouped } from './group-commit.ts'
import { openPooled } from './postgres.ts'

/** Opens the database at `url`. `poolSize` counts PostgreSQL connections of this process. */
export async function openDatabase(
  url: DatabaseUrl,
  { clock, poolSize = 20 }: { clock: Clock; poolSize?: number },
): Promise<Database> {
  return url.engine === 'sqlite' ? openGrouped(url.path, clock) : openPooled(url.url, clock, poolSize)
}
