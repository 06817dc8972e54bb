/** PostgreSQL: transactions and reads, each on a connection for as long as it takes. */
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type Dialect as KyselyDialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from 'kysely'
import type { Clock } from '../clock.ts'
import {
  type Database,
  guarded,
  handle,
  insideTransaction,
  Listeners,
  late,
  OutcomeUnknown,
  type Queries,
  type Tables,
  type Transaction,
  TroubleListeners,
  unavailable,
} from '../db.ts'
import { type Dialect, databaseFailure, guardStatement, isTrouble, locationOf } from '../dialect.ts'
import { postponements, shortcuts } from '../prepared.ts'
import { type Connection, isScript, type Outcome, type Statement } from './connection.ts'
import { Connections, Lookups, type PostgresOptions, read } from './pool.ts'

const postgresDialect: Dialect = {
  shared: true,
  ddl: (statement) =>
    statement.replace(/\binteger\b/gi, 'bigint').replace(
      guardStatement,
      `create function $1() returns trigger language plpgsql as 'begin raise exception ''$1''; end';
       create trigger $1 before update on $2 for each row when ($3) execute function $1()`,
    ),
  nowMs: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  lockRows: (mode) =>
    mode === 'skip' ? sql`for no key update skip locked` : mode === 'share' ? sql`for share` : sql`for no key update`,
  // Sorted, so that two who want the same keys do not wait for each other.
  lockKeys: (keys, mode = 'update') => sql`
    select ${sql.raw(mode === 'share' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')}(key)
    from unnest(${`{${[...keys].sort().map(hash64)}}`}::bigint[]) as wanted (key)`,
}

/** 64 bits of a key's hash, as text that PostgreSQL reads as a signed number. */
function hash64(key: string): string {
  return createHash('sha256').update(key).digest().readBigInt64BE().toString()
}

// ---- Transactions --------------------------------------------------------------------------------------------------

/** Thrown when COMMIT did not commit, because a statement had failed and the work went on all the same. */
class NotCommitted extends Error {}

const begin: Statement = { text: 'begin', values: [] }
const commit: Statement = { text: 'commit', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }

/**
 * One transaction on a connection. BEGIN travels with the first statement, and what can wait travels with the next one,
 * at the latest with COMMIT. Once a statement has failed, none is begun any more.
 */
class OpenTransaction {
  readonly query: Queries
  readonly #connection: Connection
  /** What travels ahead of the next statement. */
  #ahead: Statement[] = [begin]
  /** Settles when nothing is under way. */
  #sending: Promise<unknown> = Promise.resolve()
  #isOver = false
  #failure: { readonly error: unknown } | undefined

  constructor(connection: Connection) {
    this.#connection = connection
    this.query = kyselyOn(async () => ({ run: (statement) => this.#run(statement), release: () => undefined }))
    shortcuts.set(this.query, (text, values) => this.#run({ text, values }))
    postponements.set(this.query, (text, values) => {
      this.#refuseIfOver()
      this.#ahead.push({ text, values })
    })
  }

  /** Errors: what a statement that travelled along failed with; `NotCommitted`; `OutcomeUnknown`. */
  async commit(): Promise<void> {
    this.#isOver = true
    await this.#sending
    if (this.#failure) throw new NotCommitted('a failed statement was ignored', { cause: this.#failure.error })
    if (this.#isUnused()) return
    const unit = [...this.#ahead.splice(0), commit]
    const { results, error } = await this.#connection.send(unit)
    if (error !== undefined) {
      // Once COMMIT is sent its outcome is unknown: saying so as 500 keeps clients from repeating the request.
      throw isOpen(unit, { results, error }) ? new OutcomeUnknown('commit outcome unknown', { cause: error }) : error
    }
    if (results.at(-1)!.command !== 'COMMIT') throw new NotCommitted('the server rolled back')
  }

  /** Never rejects: a connection on which it fails is given up, which rolls back as well. */
  async rollBack(): Promise<void> {
    this.#isOver = true
    await this.#sending
    if (this.#isUnused() || this.#connection.isBroken) return
    const { error } = await this.#connection.send([rollback])
    if (error !== undefined) this.#connection.abandon(error)
  }

  #isUnused(): boolean {
    return this.#ahead.length === 1 && this.#ahead[0] === begin
  }

  #refuseIfOver(): void {
    if (this.#isOver) throw new Error('the transaction has ended')
  }

  async #run(statement: Statement): Promise<QueryResult<unknown>> {
    this.#refuseIfOver()
    const sent = this.#sending.then(() => this.#send(statement))
    this.#sending = sent.catch(() => undefined)
    return sent
  }

  async #send(statement: Statement): Promise<QueryResult<unknown>> {
    if (isScript(statement)) await this.#do(this.#ahead.splice(0))
    return (await this.#do([...this.#ahead.splice(0), statement])).at(-1)!
  }

  async #do(unit: readonly Statement[]) {
    if (this.#failure) throw this.#failure.error
    const { results, error } = await this.#connection.send(unit)
    if (error === undefined) return results
    this.#failure = { error }
    throw error
  }
}

/** Whether the outcome is open: COMMIT was sent, and the server did not say that it stopped before it or had to. */
function isOpen(unit: readonly Statement[], { results, error }: Outcome): boolean {
  const isReported = error instanceof Error && 'severity' in error
  if (isReported && results.length < unit.length - 1) return false
  return databaseFailure(error)?.kind !== 'retry'
}

/** Runs `work` in one transaction, once. */
async function transactOnce<T>(connections: Connections, work: (query: Queries) => Promise<T>): Promise<T> {
  const { connection, release } = await connections.lease()
  const transaction = new OpenTransaction(connection)
  try {
    const value = await insideTransaction.run(transaction, () => work(transaction.query))
    await transaction.commit()
    return value
  } catch (error) {
    await transaction.rollBack()
    // Without COMMIT nothing was written, so the caller may hear that it can repeat the request.
    const kind = databaseFailure(error)?.kind
    throw isTrouble(error) ? unavailable(error) : kind === 'timeout' ? late(error) : error
  } finally {
    release()
  }
}

/** What has certainly been rolled back, for reasons that pass, is simply done again. */
async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const kind = databaseFailure(error)?.kind
      if ((kind !== 'retry' && kind !== 'stale') || tries === 4) throw error
      await delay(Math.random() * 20 * tries)
    }
  }
}

// ---- The database --------------------------------------------------------------------------------------------------

/** A database on PostgreSQL, which several processes may share. */
export function openPooled(url: string, clock: Clock, options?: PostgresOptions): Database {
  const troubles = new TroubleListeners()
  const connections = new Connections(url, troubles, options)
  const lookups = new Lookups(connections)
  const heard = new Listeners()
  const queries = kyselyOn(async () => {
    const { connection, release } = await connections.lease()
    return { run: (statement) => read(connection, statement), release }
  })
  shortcuts.set(queries, (text, values) => lookups.run(text, values))
  return {
    dialect: postgresDialect,
    location: locationOf({ engine: 'postgres', url }),
    get query() {
      return guarded(queries)
    },
    // All are durable: this process outlives a crash of the server, and would go on without what that took away.
    async transact(work) {
      guarded(queries)
      const followUps: (() => void)[] = []
      const result = await withRetries(() => {
        followUps.length = 0
        return transactOnce(connections, (query) =>
          work(
            handle({ query, dialect: postgresDialect, now: clock.now(), drawIds: idsFrom(lookups) }, followUps, heard),
          ),
        )
      })
      for (const next of followUps) next()
      return result
    },
    listen: (topic, listener) => heard.add(topic, listener),
    onTrouble: (listener) => troubles.add(listener),
    async close() {
      await lookups.close()
      await connections.close()
    },
  }
}

/** Who draws ids mostly draws more, so that a transaction's first draw brings some along. */
const spareIds = 3

function idsFrom(lookups: Lookups): Transaction['drawIds'] {
  let spare: number[] = []
  return async (count, { fresh } = { fresh: false }) => {
    if (fresh || spare.length < count) spare = await lookups.drawIds(count + (count > 0 ? spareIds : 0))
    return spare.splice(0, count)
  }
}

// ---- kysely --------------------------------------------------------------------------------------------------------

/** Where kysely's statements run. */
interface Place {
  run(statement: Statement): Promise<QueryResult<unknown>>
  release(): void
}

// Shared by all handles, which is also how remembered statements are found again.
const adapter = new PostgresAdapter()
const compiler = new PostgresQueryCompiler()

function kyselyOn(acquire: () => Promise<Place>): Kysely<Tables> {
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
  readonly place: Place

  constructor(place: Place) {
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
