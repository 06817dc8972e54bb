/** PostgreSQL: transactions and reads on a pool of connections that Projects share fairly. */
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
import pg from 'pg'
import { projectServed } from '../behalf.ts'
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
  unavailable,
} from '../db.ts'
import { type Dialect, databaseFailure, guardStatement } from '../dialect.ts'
import { postponements, shortcuts } from '../prepared.ts'
import { Connection, isScript, type Outcome, type Statement } from './postgres-connection.ts'
import { Turns } from './turns.ts'

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
  lockKeys: (keys) => sql`
    select pg_advisory_xact_lock(key) from unnest(${`{${[...keys].sort().map(hash64)}}`}::bigint[]) as wanted (key)`,
}

/** 64 bits of a key's hash, as text that PostgreSQL reads as a signed number. */
function hash64(key: string): string {
  return createHash('sha256').update(key).digest().readBigInt64BE().toString()
}

/** How the connections of this process are used. */
export interface PostgresOptions {
  /** How many there are, besides the one for lookups. */
  readonly connections: number
  /** How many of them one Project may hold. */
  readonly connectionsPerProject: number
  /** Whether statements are prepared, which some poolers between here and the server do not carry. */
  readonly prepares: boolean
}

/** The server gives up first and says so; this process only when it does not hear from the server at all. */
const queryTimeoutMs = 10_000
const connectTimeoutMs = 2_000
/** How long a request waits for the share of its Project. */
const patienceMs = 5_000

/**
 * The second limit keeps a process that stands still in a transaction from keeping others from its rows. The plan of a
 * prepared statement outlives the size that its tables had: one made for a few rows must not read a whole table later.
 */
const sessionSettings = `
  set statement_timeout = 8000; set idle_in_transaction_session_timeout = 8000; set enable_seqscan = off; set jit = off`
/** Ids that were drawn are on the disk before any transaction that uses them is. */
const lookupSettings = 'set synchronous_commit = off'

// ---- Connections ---------------------------------------------------------------------------------------------------

/** A connection for one transaction or read. */
interface Lease {
  readonly connection: Connection
  release(): void
}

/** The connections of this process. */
class Connections {
  readonly #pool: pg.Pool
  readonly #turns: Turns
  readonly #options: PostgresOptions
  readonly #known = new WeakMap<pg.PoolClient, Connection>()

  constructor(url: string, options: PostgresOptions) {
    const { connections, connectionsPerProject } = options
    this.#options = options
    this.#turns = new Turns({
      places: connections,
      perProject: Math.min(connections, connectionsPerProject),
      kept: Math.min(2, connections >> 1),
      patienceMs,
    })
    this.#pool = new pg.Pool({
      connectionString: url,
      max: connections + 1,
      pipeline: true,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 60_000,
      query_timeout: queryTimeoutMs,
      async onConnect(client) {
        // One that breaks in use says so through its query; without a listener it would end the process.
        client.on('error', () => undefined)
        await client.query(sessionSettings)
      },
    } as pg.PoolConfig)
    // An idle connection that breaks is replaced by the pool.
    this.#pool.on('error', () => undefined)
  }

  /** One for the Project served, in its turn. Errors: `unavailable` when none is to be had. */
  async lease(): Promise<Lease> {
    const who = projectServed()
    await this.#turns.enter(who)
    try {
      const { connection, release } = await this.connect()
      return {
        connection,
        release: () => {
          release()
          this.#turns.leave(who)
        },
      }
    } catch (error) {
      this.#turns.leave(who)
      throw unavailable(error)
    }
  }

  /** One past the turns. */
  async connect(): Promise<Lease> {
    const client = await this.#pool.connect()
    const connection = this.#known.get(client) ?? new Connection(client, this.#options)
    this.#known.set(client, connection)
    return { connection, release: () => client.release(connection.isBroken) }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

/** Results of a unit of which every statement has to succeed. */
function resultsOf({ results, error }: Outcome) {
  if (error !== undefined) throw error
  return results
}

/** A read outside a transaction; one whose preparation turned out to be void is simply done again. */
async function read(connection: Connection, statement: Statement): Promise<QueryResult<unknown>> {
  const outcome = await connection.send([statement])
  const isStale = databaseFailure(outcome.error)?.kind === 'stale'
  return resultsOf(isStale ? await connection.send([statement]) : outcome).at(-1)!
}

/** Ids that somebody waits for. */
interface Draw {
  readonly count: number
  resolve(ids: Promise<number[]>): void
}

/**
 * The connection that everybody's lookups share: what is asked in one turn of the event loop travels together. It waits
 * for no lock and for no disk, so that nobody's lookup waits for anybody's.
 */
class Lookups {
  readonly #connections: Connections
  #lease: Promise<Lease> | undefined
  #wanted: Draw[] = []

  constructor(connections: Connections) {
    this.#connections = connections
  }

  async run(text: string, values: readonly unknown[]): Promise<QueryResult<unknown>> {
    const connection = await this.#connection()
    connection.gather()
    return read(connection, { text, values })
  }

  /** Ids that are above all that anybody drew before the call. Those who ask in one turn share a statement. */
  drawIds(count: number): Promise<number[]> {
    if (count === 0) return Promise.resolve([])
    const { promise, resolve } = Promise.withResolvers<number[]>()
    if (this.#wanted.push({ count, resolve }) === 1) setImmediate(() => this.#drawAll(this.#wanted.splice(0)))
    return promise
  }

  async close(): Promise<void> {
    const lease = await this.#lease?.catch(() => undefined)
    lease?.release()
  }

  #drawAll(wanted: readonly Draw[]): void {
    const total = wanted.reduce((sum, { count }) => sum + count, 0)
    const drawn = this.run(drawIds, [total])
    let next = 0
    for (const { count, resolve } of wanted) {
      const from = next
      next += count
      resolve(drawn.then(({ rows }) => (rows as { id: number }[]).slice(from, from + count).map(({ id }) => id)))
    }
  }

  async #connection(): Promise<Connection> {
    for (;;) {
      this.#lease ??= this.#open()
      const asked = this.#lease
      const lease = await asked.catch((error: unknown) => {
        if (this.#lease === asked) this.#lease = undefined
        throw unavailable(error)
      })
      if (!lease.connection.isBroken) return lease.connection
      if (this.#lease !== asked) continue
      this.#lease = undefined
      lease.release()
    }
  }

  async #open(): Promise<Lease> {
    const lease = await this.#connections.connect()
    await lease.connection.send([{ text: lookupSettings, values: [] }])
    return lease
  }
}

const drawIds = "select nextval('id_sequence') as id from generate_series(1, $1::int)"

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
    throw kind === 'unavailable' ? unavailable(error) : kind === 'timeout' ? late(error) : error
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
export function openPooled(url: string, clock: Clock, options: PostgresOptions): Database {
  const connections = new Connections(url, options)
  const lookups = new Lookups(connections)
  const heard = new Listeners()
  const drawIds = (count: number) => lookups.drawIds(count)
  const queries = kyselyOn(async () => {
    const { connection, release } = await connections.lease()
    return { run: (statement) => read(connection, statement), release }
  })
  shortcuts.set(queries, (text, values) => lookups.run(text, values))
  return {
    dialect: postgresDialect,
    get query() {
      return guarded(queries)
    },
    async transact(work) {
      guarded(queries)
      const followUps: (() => void)[] = []
      const result = await withRetries(() => {
        followUps.length = 0
        return transactOnce(connections, (query) =>
          work(handle({ query, dialect: postgresDialect, now: clock.now(), drawIds }, followUps, heard)),
        )
      })
      for (const next of followUps) next()
      return result
    },
    listen: (topic, listener) => heard.add(topic, listener),
    async close() {
      await lookups.close()
      await connections.close()
    },
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
