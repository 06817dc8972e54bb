/**
 * Administrative commands are written once, as work on a database. The command's own process carries it out or, when
 * the data is in memory, the server that holds it.
 */
import type { Administered } from '../config/config.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Live } from './live.ts'
import type { Print } from './output.ts'

/** Finds the servers on this machine that serve the database. */
export type FindLive = () => Promise<readonly Live[]>

/** Carries out `work` on the database that `database` names. */
export type Administer = (
  database: Administered,
  work: (db: Database, print: Print, live: FindLive) => Promise<void>,
) => Promise<void>

/** Options that every administrative command has. */
export interface AdministerOptions {
  readonly database: Administered
}
