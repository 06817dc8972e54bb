/** PostgreSQL: a pool of connections, and what becomes of one that broke. */
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely'
import type { PoolClient, PoolConfig } from 'pg'
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
import { type Dialect, databaseFailure, type Engine, guardStatement } from '../dialect.ts'
import { remembered } from '../prepared.ts'

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
    select pg_advisory_xact_lock(key) from unnest(${[...keys].sort().map(hash64)}::bigint[]) as wanted (key)`,
}

/** 64 bits of a key's hash, as text that PostgreSQL reads as a signed number. */
function hash64(key: string): string {
  return createHash('sha256').update(key).digest().readBigInt64BE().toString()
}
/** Opens a pool on PostgreSQL, or on anything that speaks its protocol. */
async function openPostgres(url: string, poolSize: number): Promise<Engine> {
  const pg = await import('pg')
  const types: PoolConfig['types'] = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      // int8 and numeric: ids have at most 52 bits, so a number holds them exactly.
      oid === 20 || oid === 1700 ? Number : pg.default.types.getTypeParser(oid, format as 'text'),
  } as NonNullable<PoolConfig['types']>
  const pool = new pg.default.Pool({
    connectionString: url,
    max: poolSize,
    types,
    connectionTimeoutMillis: 2_000,
    query_timeout: queryTimeoutMs,
    async onConnect(client) {
      // One that breaks in use says so through its query; without a listener it would end the process.
      client.on('error', () => undefined)
      await client.query(serverLimits)
    },
  })
  // An idle connection that breaks is replaced by the pool.
  pool.on('error', () => undefined)
  const connect = async () => reserve(await pool.connect())
  const drawIds = (count: number) =>
    sql<{ id: number }>`select nextval('id_sequence') as id from generate_series(1, ${count}::int)`
  const kysely = new PostgresDialect({ pool: { connect, end: () => pool.end() } })
  return { dialect: postgresDialect, kysely, drawIds }
}

/** The server gives up first and says so; this process only when it does not hear from the server at all. */
const queryTimeoutMs = 10_000
/** The second limit keeps a process that stands still in a transaction from keeping others from its rows. */
const serverLimits = 'set statement_timeout = 8000; set idle_in_transaction_session_timeout = 8000'

/** Thrown when COMMIT did not commit, because a statement had failed and the work went on all the same. */
class NotCommitted extends Error {}

/**
 * A connection for one transaction or read. Once it broke or let a query run into its time limit, nobody knows what is
 * still open on it: it answers nothing more and is closed instead of being used again.
 */
function reserve(client: PoolClient): PostgresPoolClient {
  let broken: unknown
  const query = async (text: string, parameters: readonly unknown[]) => {
    if (broken) throw broken
    try {
      const result = await client.query(text, [...parameters])
      if (text === 'commit' && result.command !== 'COMMIT') throw new NotCommitted('a failed statement was ignored')
      return result
    } catch (error) {
      // An error that the server itself reports leaves the connection in order.
      const reported = error instanceof NotCommitted || (error instanceof Error && 'severity' in error)
      const kind = databaseFailure(error)?.kind
      if (!reported || kind === 'unavailable' || kind === 'timeout') broken = error
      throw error
    }
  }
  return { query, release: () => client.release(broken !== undefined) } as unknown as PostgresPoolClient
}

/** A database on PostgreSQL, which several processes may share. */
export async function openPooled(url: string, clock: Clock, poolSize: number): Promise<Database> {
  const engine = await openPostgres(url, poolSize)
  const heard = new Listeners()
  const queries = new Kysely<Tables>({ dialect: engine.kysely })
  const draw = remembered<{ id: number }>()
  const drawFrom = async (query: Queries, count: number) =>
    (await draw(query, count, [], () => engine.drawIds!(count))).map((row) => row.id)
  return {
    dialect: engine.dialect,
    get query() {
      return guarded(queries)
    },
    async transact(work) {
      guarded(queries)
      const followUps: (() => void)[] = []
      const result = await withRetries(() => {
        followUps.length = 0
        return pooledTransaction(queries, (query) => {
          const drawIds = (count: number) => drawFrom(query, count)
          return work(handle({ query, dialect: engine.dialect, now: clock.now(), drawIds }, followUps, heard))
        })
      })
      for (const next of followUps) next()
      return result
    },
    listen: (topic, listener) => heard.add(topic, listener),
    close: () => queries.destroy(),
  }
}

async function pooledTransaction<T>(queries: Queries, work: (query: Queries) => Promise<T>): Promise<T> {
  let ended = false
  try {
    return await queries.transaction().execute(async (query) => {
      const value = await insideTransaction.run(queries, () => work(query))
      ended = true
      return value
    })
  } catch (error) {
    const kind = databaseFailure(error)?.kind
    // Once COMMIT is sent its outcome is unknown: saying so as 500 keeps clients from repeating the request.
    if (ended && kind !== 'retry' && !(error instanceof NotCommitted)) {
      throw new OutcomeUnknown('commit outcome unknown', { cause: error })
    }
    if (kind === 'unavailable') throw unavailable(error)
    // Without COMMIT nothing was written, so the caller may hear that it can repeat the request.
    if (kind === 'timeout') throw late(error)
    throw error
  }
}

/** A deadlock or serialization failure has rolled back for certain, so the work is simply done again. */
async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (databaseFailure(error)?.kind !== 'retry' || tries === 4) throw error
      await delay(Math.random() * 20 * tries)
    }
  }
}
