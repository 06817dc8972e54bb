/** The PostgreSQL connections of this process: a pool with fair scheduling. */
import { availableParallelism } from 'node:os'
import type { QueryResult } from 'kysely'
import pg from 'pg'
import { projectServed } from '../process/behalf.ts'
import { channels, measured } from '../process/channels.ts'
import { FairQueue } from '../process/fair-queue.ts'
import type { ProjectId } from '../scope.ts'
import { Connection, type Outcome, type SchemaChanges, type Statement } from './connection.ts'
import { type PoolState, type TroubleListeners, unavailable } from './db.ts'
import { databaseFailure } from './dialect.ts'
import { Servers } from './servers.ts'
import { Silence } from './silence.ts'

/** Options of the connection pool. */
export interface PostgresOptions {
  /** Number of connections, not counting the one for lookups. */
  readonly connections?: number | undefined
  /** Maximum for one Project; by default four per processor, and at most two thirds of all. */
  readonly connectionsPerProject?: number | undefined
  /** The time that a request waits for a connection, in milliseconds; 5 s by default. */
  readonly patienceMs?: number
  /** The time that a statement may take, in milliseconds; 8 s by default. */
  readonly statementMs?: number
  /** Tells whether to try again when the server does not take a connection in time; by default it is not tried again. */
  readonly triesAgain?: () => boolean
  /** The name under which the server lists its connections; that of the driver by default. */
  readonly connectionName?: string | undefined
}

const defaultConnections = 30
const defaultPatienceMs = 5_000

const defaultStatementMs = 8_000

/** The driver waits longer than the server, so that its timeout applies only when the server does not answer at all. */
const answerMs = 2_000
const connectTimeoutMs = 2_000
/** What the driver says after that time, and what is said of a server that fell silent. */
const tookTooLong = /timeout exceeded when trying to connect|due to connection timeout|does not answer/

/** A process that stands still within a transaction keeps its locks from others for so long. */
const idleMs = 4_000

/**
 * The idle timeout keeps a stalled process from blocking others. Sequential scans are off because the plan of a
 * prepared statement outlives the table size that it was made for: one made for a few rows must not scan a large table
 * later.
 */
const sessionSettings = (statementMs: number) => `
  select concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time()) as server;
  set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${idleMs}; set enable_seqscan = off; set jit = off`
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
  readonly #most: number
  readonly #prepares: boolean
  readonly #troubles: TroubleListeners
  readonly #changes: SchemaChanges = { count: 0 }
  readonly #known = new WeakMap<pg.PoolClient, Connection>()
  readonly #triesAgain: () => boolean
  readonly #servers: Servers
  readonly #silence = new Silence({ answers: () => this.#answers(), onSilence: () => this.#cut() })
  readonly #open = new Set<pg.PoolClient>()
  /** The names of their servers. */
  readonly #names = new WeakMap<object, string>()
  /** What a server said, or did not say, to the last one who wanted to connect; undefined once it has let somebody in. */
  #refusal: { readonly error: unknown; isTried: boolean } | undefined

  constructor(url: string, troubles: TroubleListeners, options: PostgresOptions = {}) {
    this.#troubles = troubles
    const { connections = defaultConnections, connectionsPerProject, patienceMs = defaultPatienceMs } = options
    const { statementMs = defaultStatementMs } = options
    this.#triesAgain = options.triesAgain ?? (() => false)
    this.#servers = new Servers(url)
    this.#prepares = new URL(this.#servers.url).searchParams.get('prepare') !== 'off'
    const kept = Math.min(2, connections >> 1)
    const error = () => unavailable(new Error('waited too long for a connection to the database'))
    this.#turns = new FairQueue({
      atOnce: connections,
      perKey: connectionsPerProject ?? usualShare(connections - kept),
      kept,
      patience: { ms: patienceMs, error },
    })
    this.#most = connections + 1
    const open = this.#open
    const names = this.#names
    const servers = this.#servers
    this.#pool = new pg.Pool({
      Client: servers.clientClass,
      application_name: options.connectionName,
      max: this.#most,
      pipeline: true,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 60_000,
      query_timeout: statementMs + answerMs,
      async onConnect(client) {
        // A broken connection in use reports its error through its query; without a listener it would end the process.
        client.on('error', () => undefined)
        open.add(client as pg.PoolClient)
        client.once('end', () => open.delete(client as pg.PoolClient))
        await servers.checkTakesWrites(client)
        const results = await client.query(sessionSettings(statementMs))
        names.set(client, (results as unknown as pg.QueryResult[])[0]!.rows[0].server)
      },
    } as pg.PoolConfig)
    // The pool replaces an idle connection that breaks.
    this.#pool.on('error', () => undefined)
  }

  /** A connection for the current Project, in its turn. Errors: `unavailable` when none becomes free in time. */
  lease(): Promise<Lease> {
    return measured(channels.connection, () => this.#lease(), {})
  }

  state(): PoolState {
    const { totalCount: open, idleCount: idle } = this.#pool
    return { most: this.#most, open, idle, waiting: this.#turns.waiting }
  }

  async #lease(): Promise<Lease> {
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
    const connection = this.#known.get(client) ?? this.#made(client, failed)
    this.#known.set(client, connection)
    return { connection, release: () => client.release(connection.isBroken) }
  }

  #made(client: pg.PoolClient, failed: (error: unknown) => void): Connection {
    const server = this.#names.get(client)!
    return new Connection(client, {
      ...{ prepares: this.#prepares, failed, changes: this.#changes },
      ...{ silence: this.#silence, server },
    })
  }

  /**
   * A client of the pool, of a server that takes writes where there are several. While none lets anybody in, one caller at a
   * time tries, and the others need not wait for what that comes to.
   */
  async #client(): Promise<pg.PoolClient> {
    const refusal = this.#refusal
    if (refusal?.isTried && this.#pool.idleCount === 0) throw refusal.error
    if (refusal) refusal.isTried = true
    try {
      const client = await this.#connected()
      this.#refusal = undefined
      return client
    } catch (error) {
      this.#refusal = { error, isTried: false }
      throw error
    }
  }

  /** True while nothing answers that this process asks for a connection. */
  get isSilent(): boolean {
    return this.#refusal !== undefined && tookTooLong.test((this.#refusal.error as Error).message)
  }

  /** Tries each server once, and again where that is wanted. Errors: what one of them said, if any said something. */
  async #connected(): Promise<pg.PoolClient> {
    let told: unknown
    for (let left = this.#servers.count; ; ) {
      const { url } = this.#servers
      try {
        return await this.#pool.connect()
      } catch (error) {
        this.#servers.leave(url)
        const isSilence = tookTooLong.test((error as Error).message)
        if (isSilence && this.#triesAgain()) continue
        if (!isSilence) told = error
        left--
        if (left === 0) throw told ?? error
      }
    }
  }

  /** Tells whether the server lets anybody in, or says why it does not. */
  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.#servers.url, connectionTimeoutMillis: connectTimeoutMs })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.end()
      return true
    } catch (error) {
      return error instanceof Error && 'severity' in error
    }
  }

  /** Ends all connections to a server that does not answer, so that nobody waits for it any more. */
  #cut(): void {
    const error = new Error('Connection terminated: the server does not answer')
    this.#troubles.tell(error)
    this.#servers.leave(this.#servers.url)
    this.#refusal = { error, isTried: false }
    for (const client of this.#open) (client as unknown as Wired).connection.stream.destroy()
  }

  async close(): Promise<void> {
    this.#silence.close()
    if (!this.#pool.ending) await this.#pool.end()
  }
}

/** The socket of the driver's client, which its types omit. */
interface Wired {
  readonly connection: { readonly stream: { destroy(): void } }
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
