/**
 * The database as the rest of the code sees it: `query` for single reads, `transact` for everything that writes or must
 * be read at one moment. A transaction's work may run more than once, so it changes nothing outside the database; what
 * has to follow a commit goes through `afterCommit`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import type { Clock } from './clock.ts'
import { type DatabaseUrl, type Dialect, databaseFailure, type Engine, openPostgres, openSqlite } from './dialect.ts'
import { ApiError } from './errors.ts'

/** Table names to row types. Each slice adds its own tables by declaration merging, so the kernel names none of them. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Tables {}

/** A handle on which statements run, inside or outside a transaction. */
export type Queries = Kysely<Tables>

/** One open transaction. */
export interface Transaction {
  readonly query: Queries
  readonly dialect: Dialect
  /** The clock's time for everything that this transaction does, in milliseconds. */
  readonly now: number
  /** Runs `work` once the commit is durable; never when the transaction rolls back. */
  afterCommit(work: () => void): void
  /** Wakes those who listen to `topic`, once the commit is durable. */
  signal(topic: Topic): void
}

/** What a commit can announce to its own process. Only a hint: another process finds the rows by looking. */
export type Topic = 'actions'

export interface Database {
  readonly dialect: Dialect
  /** For reads outside a transaction. Throws inside `transact`, where it would wait for itself. */
  readonly query: Queries
  /** Runs `work` in one transaction; rejects with what `work` threw, after a roll back. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  listen(topic: Topic, listener: () => void): void
  close(): Promise<void>
}

/** Opens the database at `url`. `poolSize` counts PostgreSQL connections of this process. */
export async function openDatabase(
  url: DatabaseUrl,
  { clock, poolSize = 20 }: { clock: Clock; poolSize?: number },
): Promise<Database> {
  return url.engine === 'sqlite' ? openGrouped(url.path, clock) : openPooled(url.url, clock, poolSize)
}

type Listeners = Map<Topic, () => void>

/** A transaction handle whose follow-ups are collected in `followUps` until the commit. */
function handle(
  query: Queries,
  dialect: Dialect,
  now: number,
  followUps: (() => void)[],
  heard: Listeners,
): Transaction {
  return {
    query,
    dialect,
    now,
    afterCommit: (work) => void followUps.push(work),
    signal: (topic) => void followUps.push(() => heard.get(topic)?.()),
  }
}

const insideTransaction = new AsyncLocalStorage<true>()

function guarded(queries: Queries): Queries {
  if (insideTransaction.getStore()) throw new Error('use the transaction handle inside transact')
  return queries
}

/** Ids for new rows, in increasing order; drawn inside the transaction that uses them. */
export async function drawIds(tx: Transaction, count: number): Promise<number[]> {
  if (count === 0) return []
  const { rows } = await tx.dialect.drawIds(count).execute(tx.query)
  return rows.length === count ? rows.map((row) => row.id) : Array.from({ length: count }, (_, i) => rows[0]!.id + i)
}

/** One id for a new row. */
export async function drawId(tx: Transaction): Promise<number> {
  return (await drawIds(tx, 1))[0]!
}

function unavailable(cause: unknown): ApiError {
  return new ApiError('unavailable', 'the database is not available', { cause })
}

// ---- PostgreSQL ----------------------------------------------------------------------------------------------------

async function openPooled(url: string, clock: Clock, poolSize: number): Promise<Database> {
  const engine = await openPostgres(url, poolSize)
  const heard: Listeners = new Map()
  const queries = new Kysely<Tables>({ dialect: engine.kysely })
  return {
    dialect: engine.dialect,
    get query() {
      return guarded(queries)
    },
    transact: (work) =>
      withRetries(() =>
        pooledTransaction(queries, (query, next) => work(handle(query, engine.dialect, clock.now(), next, heard))),
      ),
    listen: (topic, listener) => void heard.set(topic, listener),
    close: () => queries.destroy(),
  }
}

async function pooledTransaction<T>(
  queries: Queries,
  work: (query: Queries, followUps: (() => void)[]) => Promise<T>,
): Promise<T> {
  const followUps: (() => void)[] = []
  let began = false
  let ended = false
  try {
    const result = await queries.transaction().execute(async (query) => {
      began = true
      const value = await insideTransaction.run(true, () => work(query, followUps))
      ended = true
      return value
    })
    for (const next of followUps) next()
    return result
  } catch (error) {
    // Once COMMIT is sent its outcome is unknown: saying so as 500 keeps clients from repeating the request.
    if (ended && databaseFailure(error)?.kind !== 'retry') throw new Error('commit outcome unknown', { cause: error })
    if (!began && databaseFailure(error)?.kind === 'unavailable') throw unavailable(error)
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

// ---- SQLite --------------------------------------------------------------------------------------------------------

interface Job {
  run(followUps: (() => void)[]): Promise<unknown>
  settle(outcome: { value: unknown } | { error: unknown }): void
}

/**
 * Group commit: transactions that wait at the same time run one after another, each under a savepoint of its own, and
 * share one commit, so that they share its wait for the disk. Each caller hears of its result after that commit only.
 */
function openGrouped(path: string, clock: Clock): Database {
  const heard: Listeners = new Map()
  const waiting: Job[] = []
  let running: Promise<void> | undefined
  let open: Promise<void> | undefined
  const engine = openSqlite(path, () => open)
  const writer = engine.writer!
  const reads = new Kysely<Tables>({ dialect: engine.kysely })
  const writes = new Kysely<Tables>({ dialect: writer.kysely })
  const runAll = async () => {
    // One turn of the event loop lets requests that arrived together meet in one group.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      open = runGroup(writer, waiting.splice(0, 64))
      await open
      open = undefined
    }
    running = undefined
  }
  return {
    dialect: engine.dialect,
    get query() {
      return guarded(reads)
    },
    transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      guarded(reads)
      return new Promise<T>((resolve, reject) => {
        waiting.push({
          run: (next) =>
            insideTransaction.run(true, () => work(handle(writes, engine.dialect, clock.now(), next, heard))),
          settle: (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value as T)),
        })
        running ??= runAll()
      })
    },
    listen: (topic, listener) => void heard.set(topic, listener),
    async close() {
      await running
      await reads.destroy()
    },
  }
}

type Writer = Engine['writer'] & {}

async function runGroup(writer: Writer, jobs: Job[]): Promise<void> {
  const outcomes: ({ value: unknown } | { error: unknown })[] = []
  const followUps: (() => void)[] = []
  try {
    await begin(writer)
    for (const job of jobs) outcomes.push(await runUnderSavepoint(writer, job, followUps))
    writer.exec('commit')
  } catch (error) {
    rollback(writer)
    const kind = databaseFailure(error)?.kind
    const reported = kind === 'unavailable' || kind === 'busy' ? unavailable(error) : error
    for (const job of jobs) job.settle({ error: reported })
    return
  }
  for (const next of followUps) next()
  jobs.forEach((job, index) => {
    job.settle(outcomes[index]!)
  })
}

async function runUnderSavepoint(
  writer: Writer,
  job: Job,
  followUps: (() => void)[],
): Promise<{ value: unknown } | { error: unknown }> {
  const mine: (() => void)[] = []
  writer.exec('savepoint job')
  try {
    const value = await job.run(mine)
    writer.exec('release job')
    followUps.push(...mine)
    return { value }
  } catch (error) {
    try {
      writer.exec('rollback to job; release job')
    } catch {
      // A full disk has already rolled everything back, so the whole group fails for the first reason.
      throw error
    }
    return { error }
  }
}

/** The command line may be writing through its own process: wait for it without stopping the event loop. */
async function begin(writer: Writer): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      writer.exec('begin immediate')
      return
    } catch (error) {
      if (databaseFailure(error)?.kind !== 'busy' || tries === 100) throw error
      await delay(5 + tries)
    }
  }
}

function rollback(writer: Writer): void {
  try {
    writer.exec('rollback')
  } catch (error) {
    // SQLite ends the transaction by itself on some failures; there is nothing left to roll back then.
    if (!(error instanceof Error && /no transaction is active/.test(error.message))) throw error
  }
}

/** True when the database answers. */
export async function answers(db: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(db.query)
    return true
  } catch {
    return false
  }
}
