/**
 * Commands that administer an installation are written once, as work on a database. It is carried out where the data is: by
 * the command's own process or, for data in memory, by the server that has it.
 */
import type { Administered } from '../config.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Print } from './output.ts'

/** Carries out `work` where `database` says. */
export type Administer = (database: Administered, work: (db: Database, print: Print) => Promise<void>) => Promise<void>

/** The options that all of these commands have. */
export interface AdministerOptions {
  readonly database: Administered
}
