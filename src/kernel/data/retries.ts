/** Tells operators of transactions that got in each other's way: they are done again, but should never have to be. */

import type { Logger } from '../process/log.ts'
import type { Database } from './db.ts'
import { databaseFailure } from './dialect.ts'

/** The same database; each deadlock or serialization failure is a warning that names the table, where PostgreSQL does. */
export function warnOfRetries(db: Database, log: Pick<Logger, 'warn'>): Database {
  return {
    dialect: db.dialect,
    location: db.location,
    get query() {
      return db.query
    },
    transact: (work, options) =>
      db.transact(async (tx) => {
        try {
          return await work(tx)
        } catch (error) {
          if (databaseFailure(error)?.kind === 'retry') {
            log.warn({ err: error, table: tableOf(error as Error) }, 'a transaction is done again')
          }
          throw error
        }
      }, options),
    listen: (topic, listener) => db.listen(topic, listener),
    onTrouble: (listener) => db.onTrouble(listener),
    close: () => db.close(),
  }
}

/** Of a deadlock PostgreSQL says `while locking tuple (0,1) in relation "server"`. */
function tableOf({ where }: Error & { readonly where?: string }): string | undefined {
  return /relation "(\w+)"/.exec(where ?? '')?.[1]
}
