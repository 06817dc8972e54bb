/**
 * The database as the rest of the code sees it: `query` for single reads, `transact` for everything that writes or must
 * be read at one moment. A transaction's work may run more than once, so it changes nothing outside the database; what
 * has to follow a commit goes through `afterCommit`.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import type { Clock } from './clock.ts'
import {
  type DatabaseUrl,
  type Dialect,
  databaseFailure,
  type Engine,
  NotCommitted,
  openPostgres,
  openSqlite,
} from './dialect.ts'
import { ApiError } from './errors.ts'
import { remembered, shortcuts } from './prepared.ts'

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
  /** Ids for new rows, in increasing order; holes are allowed, repetition is not. */
  drawIds(count: number): Promise<readonly number[]>
  /** Runs `work` once the commit is durable, never when the transaction rolls back; before `transact` resolves. */
  afterCommit(work: () => void): void
  /** Wakes those who listen to `topic`, once the commit is durable, and tells them what it is about. */
  signal(topic: Topic, subject?: string): void
}

/** What a commit can announce to its own process. Only a hint: another process finds the rows by looking. */
export type Topic = 'actions' | 'dns' | 'mail'

export interface Database {
  readonly dialect: Dialect
  /** For reads outside a transaction. Throws inside `transact`, where it would wait for itself. */
  readonly query: Queries
  /** Runs `work` in one transaction; rejects with what `work` threw, after a roll back. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Calls `listener` whenever `topic` is announced; what is returned ends that. */
  listen(topic: Topic, listener: (subject: string) => void): () => void
  close(): Promise<void>
}

/** The answer to a commit got lost, so the work may be done or not: nobody may blindly do it again. */
export class OutcomeUnknown extends Error {}

/** Opens the database at `url`. `poolSize` counts PostgreSQL connections of this process. */
export async function openDatabase(
  url: DatabaseUrl,
  { clock, poolSize = 20 }: { clock: Clock; poolSize?: number },
): Promise<Database> {
  return url.engine === 'sqlite' ? openGrouped(url.path, clock) : openPooled(url.url, clock, poolSize)
}

class Listeners {
  readonly #all = new Map<Topic, Set<(subject: string) => void>>()

  add(topic: Topic, listener: (subject: string) => void): () => void {
    const some = this.#all.get(topic) ?? new Set()
    this.#all.set(topic, some.add(listener))
    return () => void some.delete(listener)
  }

  tell(topic: Topic, subject: string): void {
    for (const listener of this.#all.get(topic) ?? []) listener(subject)
  }
}

/** A transaction handle whose follow-ups are collected in `followUps` until the commit. */
function handle(
  parts: Pick<Transaction, 'query' | 'dialect' | 'now' | 'drawIds'>,
  followUps: (() => void)[],
  heard: Listeners,
): Transaction {
  return {
    ...parts,
    afterCommit: (work) => void followUps.push(work),
    signal: (topic, subject = '') => void followUps.push(() => heard.tell(topic, subject)),
  }
}

/** Set while a transaction's work runs; on SQLite it tells whose. */
const insideTransaction = new AsyncLocalStorage<object>()

function guarded(queries: Queries): Queries {
  if (insideTransaction.getStore()) throw new Error('use the transaction handle inside transact')
  return queries
}

/** One id for a new row. */
export async function drawId(tx: Transaction): Promise<number> {
  return (await tx.drawIds(1))[0]!
}

/** 503 `unavailable`. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError('unavailable', 'the database is not available', { cause })
}

/** 504 `timeout`, which official clients repeat by themselves: only for what has certainly written nothing. */
export function late(cause: unknown): ApiError {
  return new ApiError('timeout', 'the database did not answer in time', { cause })
}

// ---- PostgreSQL ----------------------------------------------------------------------------------------------------

async function openPooled(url: string, clock: Clock, poolSize: number): Promise<Database> {
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

// ---- SQLite --------------------------------------------------------------------------------------------------------

type Outcome = { readonly value: unknown } | { readonly error: unknown }

interface Job {
  readonly followUps: (() => void)[]
  run(): Promise<unknown>
  settle(outcome: Outcome): void
}

/** How many transactions share a commit at most: so long the event loop stands still. */
const mostInGroup = 64

/**
 * Group commit: transactions that wait at the same time run one after another, each under a savepoint of its own, and
 * share one commit, so that they share its wait for the disk. Each caller hears of its result after that commit only.
 */
function openGrouped(path: string, clock: Clock): Database {
  const heard = new Listeners()
  const waiting: Job[] = []
  let running: Promise<void> | undefined
  let open: Promise<void> | undefined
  let current: Job | undefined
  const engine = openSqlite(path, {
    beforeRead: () => open,
    // Work that goes on after its transaction has ended would write into somebody else's.
    beforeWrite() {
      if (!current || insideTransaction.getStore() !== current) throw new Error('the transaction has ended')
    },
  })
  const { dialect, writer } = engine as Engine & { writer: Writer }
  let ids = groupIds(writer)
  const drawIds = async (count: number) => ids.draw(count)
  const reads = new Kysely<Tables>({ dialect: engine.kysely })
  const writes = new Kysely<Tables>({ dialect: writer.kysely })
  shortcuts.set(reads, engine.run!).set(writes, writer.run)
  const runAll = async () => {
    while (waiting.length > 0) {
      // Requests that arrive together meet in one group: it starts once a turn of the event loop brings no more of them.
      let met = 0
      while (waiting.length > met && met < mostInGroup) {
        met = waiting.length
        await new Promise(setImmediate)
      }
      ids = groupIds(writer)
      open = runGroup(writer, ids, waiting.splice(0, mostInGroup))
      await open
      open = undefined
    }
    running = undefined
  }
  return {
    dialect,
    get query() {
      return guarded(reads)
    },
    async transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      guarded(reads)
      return new Promise<T>((resolve, reject) => {
        const followUps: (() => void)[] = []
        const job: Job = {
          followUps,
          async run() {
            current = job
            try {
              const tx = handle({ query: writes, dialect, now: clock.now(), drawIds }, followUps, heard)
              return await insideTransaction.run(job, () => work(tx))
            } finally {
              current = undefined
            }
          },
          settle: (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value as T)),
        }
        waiting.push(job)
        running ??= runAll()
      })
    },
    listen: (topic, listener) => heard.add(topic, listener),
    async close() {
      await running
      await reads.destroy()
      writer.close()
    },
  }
}

type Writer = Engine['writer'] & {}

type GroupIds = ReturnType<typeof groupIds>

/** Ids for one group: it reads the sequence on its first draw, counts by itself, and writes it down before its commit. */
function groupIds({ nextId }: Writer) {
  let next: number | undefined
  return {
    draw(count: number): number[] {
      const first = next ?? nextId.read()
      next = first + count
      return Array.from({ length: count }, (_, index) => first + index)
    },
    save() {
      if (next !== undefined) nextId.write(next)
    },
  }
}

/** Never rejects: whatever happens is told to the callers. */
async function runGroup(writer: Writer, ids: GroupIds, jobs: readonly Job[]): Promise<void> {
  const outcomes: Outcome[] = []
  try {
    await begin(writer)
    for (const job of jobs) outcomes.push(await runUnderSavepoint(writer, job))
    ids.save()
    writer.exec('commit')
  } catch (error) {
    rollback(writer)
    for (const job of jobs) job.settle({ error: reported(error) })
    return
  }
  jobs.forEach((job, index) => {
    job.settle(followUp(job, outcomes[index]!))
  })
}

async function runUnderSavepoint(writer: Writer, job: Job): Promise<Outcome> {
  writer.exec('savepoint job')
  try {
    const value = await job.run()
    writer.exec('release job')
    return { value }
  } catch (error) {
    // A full disk may have rolled everything back already, so the whole group fails for this reason.
    if (!writer.isOpen()) throw error
    writer.exec('rollback to job')
    writer.exec('release job')
    return { error: reported(error) }
  }
}

function followUp(job: Job, outcome: Outcome): Outcome {
  if ('error' in outcome) return outcome
  try {
    for (const next of job.followUps) next()
    return outcome
  } catch (error) {
    return { error }
  }
}

/** What did not happen for want of disk or of the lock may be asked for again. */
function reported(error: unknown): unknown {
  const kind = databaseFailure(error)?.kind
  return kind === 'unavailable' || kind === 'busy' ? unavailable(error) : error
}

/** The command line may be writing through its own process: wait for it without stopping the event loop. */
async function begin(writer: Writer): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      rollback(writer)
      writer.exec('begin immediate')
      return
    } catch (error) {
      if (databaseFailure(error)?.kind !== 'busy' || tries === 100) throw error
      await delay(5 + tries)
    }
  }
}

/** Ends what is open: SQLite has done so by itself after some failures, and may be unable to after others. */
function rollback(writer: Writer): void {
  try {
    if (writer.isOpen()) writer.exec('rollback')
  } catch {
    // The next `begin` tries again, and fails for as long as this does.
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
