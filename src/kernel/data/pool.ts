/**
 * The PostgreSQL connections of this process: a connection pool with fair scheduling, and one connection for lookups.
 */
import { availableParallelism } from 'node:os'
import type { QueryResult } from 'kysely'
import pg from 'pg'
import { projectServed } from '../process/behalf.ts'
import { FairQueue } from '../process/fair-queue.ts'
import type { ProjectId } from '../scope.ts'
import { Connection, type Outcome, type Statement } from './connection.ts'
import { type TroubleListeners, unavailable } from './db.ts'
import { databaseFailure } from './dialect.ts'

/** Options of the connection pool. */
export interface PostgresOptions {
  /** Number of connections, not counting the one for lookups. */
  readonly connections?: number | undefined
  /** Maximum for one Project; by default four per processor, and at most two thirds of all. */
  readonly connectionsPerProject?: number | undefined
  /** The time that a request waits for a connection, in milliseconds; 5 s by default. */
  readonly patienceMs?: number
  /** Tells whether to try again when the server does not take a connection in time; by default it is not tried again. */
  readonly triesAgain?: () => boolean
}

const defaultConnections = 30
const defaultPatienceMs = 5_000

/** Longer than the server's timeout, so that it applies only when the server does not answer at all. */
const queryTimeoutMs = 10_000
const connectTimeoutMs = 2_000
/** What the driver says after that time. */
const tookTooLong = /timeout exceeded when trying to connect|due to connection timeout/

/**
 * The idle timeout keeps a stalled process from blocking others. Sequential scans are off because the plan of a
 * prepared statement outlives the table size that it was made for: one made for a few rows must not scan a large table
 * later.
 */
const sessionSettings = `
  set statement_timeout = 8000; set idle_in_transaction_session_timeout = 8000; set enable_seqscan = off; set jit = off`
/** Safe for drawn ids, because a transaction that uses them is durable only after they are. */
const lookupSettings = 'set synchronous_commit = off'

/**
 * More connections do not help a Project: its transactions wait for its locks, and those of others for the processor.
 */
const usefulPerProcessor = 4

function usualShare(connections: number): number {
  return Math.max(1, Math.min(Math.floor((connections * 2) / 3), usefulPerProcessor * availableParallelism()))
}

/** A connection for one transaction or read. */
export interface Lease {
  readonly connection: Connection
  release(): void
}

/** The connection pool of this process. */
export class Connections {
  readonly #pool: pg.Pool
  readonly #turns: FairQueue<ProjectId | undefined>
  readonly #prepares: boolean
  readonly #troubles: TroubleListeners
  readonly #known = new WeakMap<pg.PoolClient, Connection>()
  readonly #triesAgain: () => boolean

  constructor(url: string, troubles: TroubleListeners, options: PostgresOptions = {}) {
    this.#troubles = troubles
    const { connections = defaultConnections, connectionsPerProject, patienceMs = defaultPatienceMs } = options
    this.#triesAgain = options.triesAgain ?? (() => false)
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
        // A broken connection in use reports its error through its query; without a listener it would end the process.
        client.on('error', () => undefined)
        await client.query(sessionSettings)
      },
    } as pg.PoolConfig)
    // The pool replaces an idle connection that breaks.
    this.#pool.on('error', () => undefined)
  }

  /** A connection for the current Project, in its turn. Errors: `unavailable` when none becomes free in time. */
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

  /** A connection outside the fair scheduling. */
  async connect(): Promise<Lease> {
    const failed = (error: unknown) => this.#troubles.tell(error)
    const client = await this.#client().catch((error: unknown) => {
      failed(error)
      throw error
    })
    const connection = this.#known.get(client) ?? new Connection(client, { prepares: this.#prepares, failed })
    this.#known.set(client, connection)
    return { connection, release: () => client.release(connection.isBroken) }
  }

  async #client(): Promise<pg.PoolClient> {
    for (;;) {
      try {
        return await this.#pool.connect()
      } catch (error) {
        if (!tookTooLong.test((error as Error).message) || !this.#triesAgain()) throw error
      }
    }
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end()
  }
}

/** The results of a unit; throws the error of a failed statement. */
function resultsOf({ results, error }: Outcome) {
  if (error !== undefined) throw error
  return results
}

/** A read outside a transaction; repeated when its prepared statement was invalidated. */
export async function read(connection: Connection, statement: Statement): Promise<QueryResult<unknown>> {
  const outcome = await connection.send([statement])
  const isStale = databaseFailure(outcome.error)?.kind === 'stale'
  return resultsOf(isStale ? await connection.send([statement]) : outcome).at(-1)!
}

/** A pending request for ids. */
interface Draw {
  readonly count: number
  resolve(ids: Promise<number[]>): void
}

/** A lookup that waits to be sent or answered. */
interface Lookup extends Statement {
  resolve(result: QueryResult<unknown>): void
  reject(error: unknown): void
}

/**
 * The connection shared by all lookups; those of one turn of the event loop are one unit, which the server answers at
 * once. Lookups never wait for locks or the disk, so none of them delays the others.
 */
export class Lookups {
  readonly #connections: Connections
  #lease: Promise<Lease> | undefined
  #wanted: Draw[] = []
  #next: Lookup[] = []
  #isSoon = false

  constructor(connections: Connections) {
    this.#connections = connections
  }

  run(text: string, values: readonly unknown[]): Promise<QueryResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.#next.push({ text, values, resolve, reject })
      this.#sendSoon()
    })
  }

  /** Sends everything at the end of this turn. */
  #sendSoon(): void {
    if (this.#isSoon) return
    this.#isSoon = true
    setImmediate(() => {
      if (this.#wanted.length > 0) this.#drawAll(this.#wanted.splice(0))
      this.#isSoon = false
      void this.#sendAll(this.#next.splice(0))
    })
  }

  /** Sends lookups in one unit. After a failed one the server skips the rest, so that is sent again. Never rejects. */
  async #sendAll(lookups: readonly Lookup[]): Promise<void> {
    try {
      const connection = await this.#connection()
      let stale: Lookup | undefined
      for (let left = lookups; left.length > 0; ) {
        const { results, error } = await connection.send(left)
        for (const [index, result] of results.entries()) left[index]!.resolve(result)
        left = left.slice(results.length)
        if (error === undefined) continue
        if (connection.isBroken) throw error
        const [failed] = left
        // Repeated when its prepared statement was invalidated.
        if (databaseFailure(error)?.kind === 'stale' && failed !== stale) stale = failed
        else {
          failed!.reject(error)
          left = left.slice(1)
        }
      }
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    }
  }

  /** Ids greater than all ids drawn before the call. Requests of one turn of the event loop share a statement. */
  drawIds(count: number): Promise<number[]> {
    if (count === 0) return Promise.resolve([])
    const { promise, resolve } = Promise.withResolvers<number[]>()
    this.#wanted.push({ count, resolve })
    this.#sendSoon()
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
