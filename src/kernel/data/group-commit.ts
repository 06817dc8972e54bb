/** A SQLite database with group commit: transactions that wait at the same time share one commit. */
import { type CompiledQuery, Kysely } from 'kysely'
import { projectServed } from '../process/behalf.ts'
import { tellOfCommit } from '../process/channels.ts'
import type { Clock } from '../process/clock.ts'
import { Rotation } from '../process/rotation.ts'
import { turn } from '../process/turns.ts'
import type { ProjectId } from '../scope.ts'
import {
  type Database,
  guarded,
  handle,
  insideTransaction,
  Listeners,
  OutcomeUnknown,
  type Tables,
  type Transaction,
  type TransactOptions,
  TroubleListeners,
  unavailable,
} from './db.ts'
import { type DatabaseEngine, databaseFailure, isTrouble } from './dialect.ts'
import { begin, commit, rollback, type Writer } from './group-writer.ts'
import { LogSyncs } from './log-syncs.ts'
import { runsPrepared } from './prepared.ts'
import { openSqlite, type SqliteGates, type SqliteOptions } from './sqlite.ts'

type Settled = { readonly value: unknown } | { readonly error: unknown }

/** A queue of transactions, and whether their callers wait for the disk. */
interface Line {
  readonly isDurable: boolean
  readonly waiting: Rotation<ProjectId | undefined, Job>
}

interface Job {
  readonly party: ProjectId | undefined
  readonly followUps: (() => void)[]
  run(): Promise<unknown>
  settle(outcome: Settled): void
}

/** Limits of a group: the number of transactions, and the time in milliseconds that they may take before the commit. */
const mostInGroup = 64
const groupMs = 4
/** So many transactions get savepoints after one that needed its own, so that who fails often does not cost others much. */
const heedFor = 1_000

/**
 * Opens a database with group commit: waiting transactions run one after another and share one commit. Another thread
 * waits for the disk, meanwhile the next group runs. Callers get their results only when the commit is on disk, and so do
 * those who read it. A group takes transactions of each Project in rotation and ends early when it has taken long; the rest
 * waits for the next group. Groups that need not be durable alternate with durable ones, so that neither waits for the
 * whole queue of the other.
 */
export function openGrouped(path: string, clock: Clock, given: Partial<SqliteOptions> = {}): Database {
  const heard = new Listeners()
  const troubles = new TroubleListeners()
  const groups = new Groups(troubles, () => writer)
  const engine = openSqlite(path, groups.gates, { create: true, now: Date.now, ...given })
  const { dialect, writer } = engine as DatabaseEngine & { writer: Writer }
  const reads = new Kysely<Tables>({ dialect: engine.kysely })
  const writes = new Kysely<Tables>({ dialect: writer.kysely })
  runsPrepared(reads, { engine: 'sqlite', run: engine.run! })
  const late = (compiled: CompiledQuery, values: readonly unknown[]) => {
    groups.gates.beforeWrite()
    return writer.late.add(compiled, values)
  }
  runsPrepared(writes, { engine: 'sqlite', run: writer.run, late })
  const begin = (followUps: (() => void)[]) => {
    const drawIds = async (count: number) => groups.drawIds(count)
    const parts = { query: writes, settings: writes, dialect, now: clock.now(), drawIds, expectIds() {} }
    return handle(parts, followUps, heard)
  }
  return {
    dialect,
    location: path,
    get query() {
      return guarded(reads)
    },
    async transact<T>(work: (tx: Transaction) => Promise<T>, { isDurable = true }: TransactOptions = {}): Promise<T> {
      guarded(reads)
      return groups.add(isDurable, (followUps) => work(begin(followUps)))
    },
    async image() {
      for (let wait = groups.gates.beforeRead(); wait; wait = groups.gates.beforeRead()) await wait
      const image = writer.image()
      await groups.gates.afterRead()
      return image
    },
    watch: engine.watch,
    listen: (topic, listener) => heard.add(topic, listener),
    takers: heard.takers,
    onTrouble: (listener) => troubles.add(listener),
    async close() {
      await groups.ended()
      await reads.destroy()
      writer.close()
    },
  }
}

/** The transactions that wait, and the one that runs. */
class Groups {
  /** They keep others out of the database while a transaction has it, and from hearing of what is not on disk. */
  readonly gates: SqliteGates
  readonly #troubles: TroubleListeners
  readonly #writer: () => Writer
  readonly #syncs = new LogSyncs(() => this.#writer().sync())
  readonly #lines = [true, false].map((isDurable): Line => ({ isDurable, waiting: new Rotation() }))
  #running: Promise<void> | undefined
  #open: Promise<unknown> | undefined
  #current: Job | undefined
  #ids: GroupIds | undefined
  /** The number of transactions from now on that get savepoints. */
  #heeded = 0

  /** `writer` is asked for once something waits. */
  constructor(troubles: TroubleListeners, writer: () => Writer) {
    this.#troubles = troubles
    this.#writer = writer
    this.gates = {
      readFailed: (error) => troubles.tell(error),
      beforeRead: () => this.#open ?? turn(),
      afterRead: () => this.#syncs.reached()?.catch((error: unknown) => this.#refuse(error)),
      // Work that continues after its transaction has ended would write into another transaction.
      beforeWrite: () => {
        const current = this.#current
        if (!current || insideTransaction.getStore() !== current) throw new Error('the transaction has ended')
      },
    }
  }

  /** Runs `work` in a transaction of a later group, and returns its result after the commit. */
  add<T>(isDurable: boolean, work: (followUps: (() => void)[]) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const followUps: (() => void)[] = []
      const job: Job = {
        party: projectServed(),
        followUps,
        run: async () => {
          this.#current = job
          followUps.length = 0
          try {
            return await insideTransaction.run(job, () => work(followUps))
          } finally {
            this.#current = undefined
          }
        },
        settle: (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value as T)),
      }
      this.#lines.find((line) => line.isDurable === isDurable)!.waiting.add(job.party, job)
      this.#running ??= this.#runAll()
    })
  }

  /** Draws ids within the group that runs. */
  drawIds(count: number): number[] {
    return this.#ids!.draw(count)
  }

  /** Resolves when nothing waits any more, not even for the disk. */
  async ended(): Promise<void> {
    await this.#running
    await this.#syncs.reached()?.catch((error: unknown) => this.#troubles.tell(error))
  }

  async #runAll(): Promise<void> {
    const isAnyWaiting = () => this.#lines.some(({ waiting }) => waiting.size > 0)
    while (isAnyWaiting()) for (const line of this.#lines) if (line.waiting.size > 0) await this.#runNext(line)
    this.#running = undefined
  }

  async #runNext({ isDurable, waiting }: Line): Promise<void> {
    // While one group waits for the disk and another one behind it, transactions gather for a larger one.
    if (isDurable) await this.#syncs.room()
    // A group starts once a turn of the event loop adds no more transactions, so that requests that arrive together
    // share it.
    let met = 0
    while (waiting.size > met && met < mostInGroup) {
      met = waiting.size
      await new Promise(setImmediate)
    }
    const writer = this.#writer()
    this.#ids = groupIds(writer)
    const began = performance.now()
    const running = runGroup(writer, this.#ids, waiting, this.#heeded > 0)
    this.#open = running
    const { outcomes, again, isChanged, error } = await running
    this.#open = undefined
    if (error !== undefined) this.#troubles.tell(error)
    if (again.length > 0 && error === undefined) this.#heeded = heedFor
    else this.#heeded = Math.max(0, this.#heeded - outcomes.length)
    for (const job of again) waiting.add(job.party, job)
    const onDisk = isDurable && isChanged ? this.#syncs.add() : this.#syncs.reached()
    if (isChanged) tellOfCommit(outcomes.length, began, onDisk)
    this.#settle(outcomes, onDisk)
  }

  /** Tells the outcomes of a group once all that it may have seen is on disk. */
  #settle(outcomes: readonly JobOutcome[], onDisk: Promise<void> | undefined): void {
    const settle = () => {
      for (const { job, outcome } of outcomes) job.settle(followUp(job, outcome))
    }
    const fail = (cause: unknown) => {
      this.#troubles.tell(cause)
      const error = new OutcomeUnknown('commit outcome unknown', { cause })
      for (const { job } of outcomes) job.settle({ error })
    }
    if (onDisk) onDisk.then(settle, fail)
    else settle()
  }

  /** What a reader hears when what it has read cannot be put on disk. */
  #refuse(error: unknown): never {
    this.#troubles.tell(error)
    throw unavailable(error)
  }
}

type GroupIds = ReturnType<typeof groupIds>

/** Ids for one group: reads the sequence at the first draw, counts in memory, and writes it before the commit. */
function groupIds({ nextId }: Writer) {
  let next: number | undefined
  return {
    draw(count: number): number[] {
      const first = next ?? nextId.read()
      next = first + count
      const ids: number[] = []
      for (let id = first; id < next; id++) ids.push(id)
      return ids
    },
    save() {
      if (next !== undefined) nextId.write(next)
    },
  }
}

interface JobOutcome {
  readonly job: Job
  readonly outcome: Settled
}

/** What became of a group. */
interface Ran {
  readonly outcomes: readonly JobOutcome[]
  /** The transactions that must run again. */
  readonly again: readonly Job[]
  /** False when there is nothing in it to be put on disk. */
  readonly isChanged: boolean
  /** Why it was rolled back. */
  readonly error?: unknown
}

/**
 * Runs one group; never rejects, because errors go to the callers. They must run again whose group was rolled back because
 * of another one in it: SQLite cannot commit a transaction that hit a damaged page, and without savepoints it cannot undo
 * a single one that failed halfway. `heeds` gives each a savepoint.
 */
async function runGroup(writer: Writer, ids: GroupIds, waiting: Line['waiting'], heeds: boolean): Promise<Ran> {
  const jobs: Job[] = []
  const settled: Settled[] = []
  const before = writer.written()
  const run = heeds ? runUnderSavepoint : runBare
  try {
    await begin(writer)
    // Where a transaction may be undone alone, so are its rows.
    writer.late.beginGroup(!heeds)
    const end = performance.now() + groupMs
    do {
      const job = waiting.take()!
      jobs.push(job)
      settled.push(await run(writer, job))
    } while (waiting.size > 0 && jobs.length < mostInGroup && performance.now() < end)
    writeLate(writer)
    ids.save()
    commit(writer)
  } catch (error) {
    rollback(writer)
    if (error instanceof Halfway) {
      // Who was first has seen nothing of others: its failure stands.
      const outcomes = jobs.length === 1 ? [{ job: jobs[0]!, outcome: { error: reported(error.cause) } }] : []
      return { outcomes, again: jobs.slice(outcomes.length), isChanged: false }
    }
    // If the group could not begin, the transactions that would have joined it fail as well.
    while (settled.length === 0 && waiting.size > 0 && jobs.length < mostInGroup) jobs.push(waiting.take()!)
    const culprit = isDamage(error) ? jobs[settled.length] : undefined
    const failed = culprit ? [culprit] : jobs
    const outcome = { error: reported(error) }
    return {
      outcomes: failed.map((job) => ({ job, outcome })),
      again: jobs.filter((job) => !failed.includes(job)),
      isChanged: false,
      error: error instanceof OutcomeUnknown ? error.cause : error,
    }
  }
  const outcomes = jobs.map((job, index) => ({ job, outcome: settled[index]! }))
  return { outcomes, again: [], isChanged: writer.written() > before || writer.late.hasWritten }
}

/** Thrown when a transaction failed after it had changed something, which a savepoint would undo. */
class Halfway extends Error {}

/** A savepoint costs as much as a statement or two, and copies of pages. Most transactions that fail have changed nothing. */
async function runBare(writer: Writer, job: Job): Promise<Settled> {
  const { late } = writer
  const before = writer.written()
  late.begin()
  try {
    const value = await job.run()
    if (late.failure) throw late.failure.error
    return { value }
  } catch (error) {
    // A full disk may already have rolled back everything, so the whole group fails.
    if (!writer.isOpen() || isDamage(error)) throw error
    if (late.failure || late.hasWrittenOwn || writer.written() > before)
      throw new Halfway('failed halfway', { cause: error })
    late.drop()
    return { error: reported(error) }
  }
}

/** Writes the rows that wait. Nothing tells which transaction one was of that cannot be written. */
function writeLate(writer: Writer): void {
  try {
    writer.late.write()
  } catch (error) {
    if (!writer.isOpen() || isDamage(error)) throw error
    throw new Halfway('failed at its end', { cause: error })
  }
}

async function runUnderSavepoint(writer: Writer, job: Job): Promise<Settled> {
  writer.exec('savepoint job')
  try {
    const value = await job.run()
    writer.exec('release job')
    return { value }
  } catch (error) {
    if (!writer.isOpen() || isDamage(error)) throw error
    writer.exec('rollback to job')
    writer.exec('release job')
    return { error: reported(error) }
  }
}

function followUp(job: Job, outcome: Settled): Settled {
  if ('error' in outcome) return outcome
  try {
    for (const next of job.followUps) next()
    return outcome
  } catch (error) {
    return { error }
  }
}

const isDamage = (error: unknown) => databaseFailure(error)?.kind === 'damaged'

/** The caller may retry what failed for lack of disk space or of the lock. */
function reported(error: unknown): unknown {
  return isTrouble(error) ? unavailable(error) : error
}
