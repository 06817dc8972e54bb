/** Kysely as a query builder for PostgreSQL, without its management of connections and transactions. */
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Driver,
  Kysely,
  type Dialect as KyselyDialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Statement } from './connection.ts'
import type { Tables } from './db.ts'

/** A connection on which kysely's statements run. */
interface StatementRunner {
  run(statement: Statement): Promise<QueryResult<unknown>>
  release(): void
}

// Shared by all handles, because every transaction has its own.
const adapter = new PostgresAdapter()
export const compiler = new PostgresQueryCompiler()

const unused = async () => {
  throw new Error('transactions go through Database.transact')
}

/** Statements come to the executor of a handle, so that a driver has nothing to do. */
const driver: Driver = {
  init: unused,
  acquireConnection: unused,
  beginTransaction: unused,
  commitTransaction: unused,
  rollbackTransaction: unused,
  releaseConnection: unused,
  destroy: async () => undefined,
}

const dialect: KyselyDialect = {
  createAdapter: () => adapter,
  createQueryCompiler: () => compiler,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createDriver: () => driver,
}

/** Builds statements for PostgreSQL; each runs on the connection that `acquire` returns. */
export function kyselyOn(acquire: () => Promise<StatementRunner>): Kysely<Tables> {
  const connections: ConnectionProvider = {
    async provideConnection(consumer) {
      const place = await acquire()
      try {
        return await consumer(new KyselyConnection(place))
      } finally {
        place.release()
      }
    },
  }
  const executor = new DefaultQueryExecutor(compiler, adapter, connections)
  // What kysely makes of a dialect by itself would cost each transaction more than a statement.
  return new Kysely<Tables>({ config: { dialect }, dialect, driver, executor })
}

class KyselyConnection implements DatabaseConnection {
  readonly #place: StatementRunner

  constructor(place: StatementRunner) {
    this.#place = place
  }

  executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#place.run({ text, values: parameters }) as Promise<QueryResult<Row>>
  }

  // biome-ignore lint/correctness/useYield: nothing streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('streaming is not used')
  }
}
