/** The connections of this process to PostgreSQL: those that take turns, and the one for everybody's lookups. */
import { availableParallelism } from 'node:os'
import type { QueryResult } from 'kysely'
import pg from 'pg'
import { projectServed } from '../process/behalf.ts'
import { FairQueue } from '../process/fair-queue.ts'
import type { ProjectId } from '../scope.ts'
import { Connection, type Outcome, type Statement } from './connection.ts'
import { type TroubleListeners, unavailable } from './db.ts'
import { databaseFailure } from './dialect.ts'

/** How the connections of this process are used. */
export interface PostgresOptions {
  /** How many there are, besides the one for lookups. */
  readonly connections?: number | undefined
  /** How many of them one Project may hold; four for each processor unless told otherwise, and at most two thirds. */
  readonly connectionsPerProject?: number | undefined
  /** How long a request waits for one, in milliseconds; 5 s unless told otherwise. */
  readonly patienceMs?: number
}

const defaultConnections = 30
const defaultPatienceMs = 5_000

/** The server gives up first and says so; this process only when it does not hear from the server at all. */
const queryTimeoutMs = 10_000
const connectTimeoutMs = 2_000

/**
 * The second limit keeps a process that stands still in a transaction from keeping others from its rows. The plan of a
 * prepared statement outlives the size that its tables had: one made for a few rows must not read a whole table later.
 */
const sessionSettings = `
  set statement_timeout = 8000; set idle_in_transaction_session_timeout = 8000; set enable_seqscan = off; set jit = off`
/** Ids that were drawn are on the disk before any transaction that uses them is. */
const lookupSettings = 'set synchronous_commit = off'

/** With more of them a Project gets no more done: they wait for its locks, and others for the processor. */
const usefulPerProcessor = 4

function usualShare(connections: number): number {
  return Math.max(1, Math.min(Math.floor((connections * 2) / 3), usefulPerProcessor * availableParallelism()))
}

/** A connection for one transaction or read. */
export interface Lease {
  readonly connection: Connection
  release(): void
}

/** The connections of this process. */
export class Connections {
  readonly #pool: pg.Pool
  readonly #turns: FairQueue<ProjectId | undefined>
  readonly #prepares: boolean
  readonly #troubles: TroubleListeners
  readonly #known = new WeakMap<pg.PoolClient, Connection>()

  constructor(url: string, troubles: TroubleListeners, options: PostgresOptions = {}) {
    this.#troubles = troubles
    const { connections = defaultConnections, connectionsPerProject, patienceMs = defaultPatienceMs } = options
    this.#prepares = new URL(url).searchParams.get('prepare') !== 'off'
    const kept = Math.min(2, connections >> 1)
    const error = () => unavailable(new Error('waited too long for a connection to the database'))
    this.#turns = new FairQueue({
      atOnce: connections,
      perKey: connectionsPerProject ?? usualShare(connections - kept),
      kept,
      patience: { ms: patienceMs, error },
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
    const failed = (error: unknown) => this.#troubles.tell(error)
    const client = await this.#pool.connect().catch((error: unknown) => {
      failed(error)
      throw error
    })
    const connection = this.#known.get(client) ?? new Connection(client, { prepares: this.#prepares, failed })
    this.#known.set(client, connection)
    return { connection, release: () => client.release(connection.isBroken) }
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end()
  }
}

/** Results of a unit of which every statement has to succeed. */
function resultsOf({ results, error }: Outcome) {
  if (error !== undefined) throw error
  return results
}

/** A read outside a transaction; one whose preparation turned out to be void is simply done again. */
export async function read(connection: Connection, statement: Statement): Promise<QueryResult<unknown>> {
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
export class Lookups {
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
    const lease = this.#lease
    this.#lease = undefined
    await lease?.then(
      ({ release }) => release(),
      () => undefined,
    )
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
