/** Kysely as a query builder for PostgreSQL, without its management of connections and transactions. */
import {
  type CompiledQuery,
  type DatabaseConnection,
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

/** Builds statements for PostgreSQL; each runs on the connection that `acquire` returns. */
export function kyselyOn(acquire: () => Promise<StatementRunner>): Kysely<Tables> {
  const unused = async () => {
    throw new Error('transactions go through Database.transact')
  }
  const dialect: KyselyDialect = {
    createAdapter: () => adapter,
    createQueryCompiler: () => compiler,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => ({
      init: async () => undefined,
      async acquireConnection() {
        return new KyselyConnection(await acquire())
      },
      beginTransaction: unused,
      commitTransaction: unused,
      rollbackTransaction: unused,
      releaseConnection: async (connection) => (connection as KyselyConnection).place.release(),
      destroy: async () => undefined,
    }),
  }
  return new Kysely<Tables>({ dialect })
}

class KyselyConnection implements DatabaseConnection {
  readonly place: StatementRunner

  constructor(place: StatementRunner) {
    this.place = place
  }

  executeQuery<Row>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return this.place.run({ text, values: parameters }) as Promise<QueryResult<Row>>
  }

  // biome-ignore lint/correctness/useYield: nothing streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('streaming is not used')
  }
}
