/** Wraps a database so that tests of locks and failures can observe and refuse every statement. */
import { type CompiledQuery, type DatabaseConnection, Kysely, PostgresIntrospector, SqliteIntrospector } from 'kysely'
import type { Database, Queries, Tables, Transaction } from '../../../src/kernel/data/db.ts'
import { handleOf, runsPrepared } from '../../../src/kernel/data/prepared.ts'

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Observes the statements of one transaction, or those outside of any. An error thrown here fails the statement. */
export interface Watch {
  before?(statement: CompiledQuery): void
  after?(statement: CompiledQuery, rows: Rows): void
  /** Called before keys are locked. */
  keys?(keys: readonly string[], mode: 'share' | 'update'): void
  /** Called after the work, before the commit. */
  commit?(): void
  committed?(): void
  /** Called in any case, after `committed`. */
  ended?(): void
}

/** Wraps a database; `begin` creates the watch of each transaction, `outside` watches reads outside of transactions. */
export function watchDatabase(db: Database, begin: () => Watch, outside: Watch = {}): Database {
  let reads: Queries | undefined
  return {
    dialect: db.dialect,
    image: db.image,
    watch: db.watch,
    location: db.location,
    get query() {
      // Throws inside of a transaction.
      const inner = db.query
      reads ??= watchQueries(inner, db.dialect.shared, outside)
      return reads
    },
    async transact(work, options) {
      let watch: Watch = {}
      try {
        const result = await db.transact(async (tx) => {
          watch = begin()
          const value = await work(watchTransaction(tx, watch))
          watch.commit?.()
          return value
        }, options)
        watch.committed?.()
        return result
      } finally {
        watch.ended?.()
      }
    },
    listen: (topic, listener) => db.listen(topic, listener),
    takers: db.takers,
    onTrouble: (listener) => db.onTrouble(listener),
    close: () => db.close(),
  }
}

function watchTransaction(tx: Transaction, watch: Watch): Transaction {
  const lockKeys = (keys: readonly string[], mode: 'share' | 'update' = 'update') => {
    const statement = tx.dialect.lockKeys(keys, mode)
    if (statement) watch.keys?.(keys, mode)
    return statement
  }
  const query = watchQueries(tx.query, tx.dialect.shared, watch)
  return { ...tx, query, dialect: { ...tx.dialect, lockKeys } }
}

function watchQueries(inner: Queries, isPostgres: boolean, watch: Watch): Queries {
  const nothing = async () => undefined
  const connection: DatabaseConnection = {
    async executeQuery<R>(statement: CompiledQuery) {
      watch.before?.(statement)
      const result = await inner.executeQuery<R>(statement as CompiledQuery<R>)
      watch.after?.(statement, result.rows as Rows)
      return result
    },
    // biome-ignore lint/correctness/useYield: nothing streams
    async *streamQuery() {
      throw new Error('streaming is not used')
    },
  }
  const queries = new Kysely<Tables>({
    dialect: {
      createAdapter: () => inner.getExecutor().adapter,
      createQueryCompiler: () => ({ compileQuery: (node, id) => inner.getExecutor().compileQuery(node, id) }),
      createIntrospector: (db) => (isPostgres ? new PostgresIntrospector(db) : new SqliteIntrospector(db)),
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => connection,
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        releaseConnection: nothing,
        destroy: nothing,
      }),
    },
  })
  const handle = handleOf(inner)
  const watched =
    (run: typeof handle.run): typeof handle.run =>
    (sql, parameters) => {
      const statement = { sql, parameters } as CompiledQuery
      watch.before?.(statement)
      const result = run(sql, parameters)
      const seen = <R extends { readonly rows: readonly unknown[] }>(given: R): R => {
        watch.after?.(statement, given.rows as Rows)
        return given
      }
      return result instanceof Promise ? result.then(seen) : seen(result)
    }
  runsPrepared(queries, {
    engine: handle.engine,
    run: watched(handle.run),
    ...(handle.runLarge && { runLarge: watched(handle.runLarge) }),
    ...(handle.postpone && {
      postpone: (compiled, parameters, refusal) => {
        const statement = { ...compiled, parameters }
        watch.before?.(statement)
        handle.postpone?.(compiled, parameters, refusal)
        // It is sent before whatever comes next.
        watch.after?.(statement, [])
      },
    }),
  })
  return queries
}
