/**
 * Warns operators about deadlocks and serialization failures: those transactions are retried, but should never
 * conflict.
 */

import type { Logger } from '../process/log.ts'
import { type Database, withTransact } from './db.ts'
import { databaseFailure } from './dialect.ts'

/** Wraps a database so that each deadlock or serialization failure is logged with its table, if PostgreSQL names it. */
export function warnOfRetries(db: Database, log: Pick<Logger, 'warn'>): Database {
  return withTransact(db, (work, options) =>
    db.transact(async (tx) => {
      try {
        return await work(tx)
      } catch (error) {
        if (databaseFailure(error)?.kind === 'retry') {
          log.warn({ err: error, table: tableOf(error as Error) }, 'a transaction is retried')
        }
        throw error
      }
    }, options),
  )
}

/** The detail of a deadlock in PostgreSQL is `while locking tuple (0,1) in relation "server"`. */
function tableOf({ where }: Error & { readonly where?: string }): string | undefined {
  return /relation "(\w+)"/.exec(where ?? '')?.[1]
}
