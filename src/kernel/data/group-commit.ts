/** A SQLite database with group commit: transactions that wait at the same time share one commit. */
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { projectServed } from '../process/behalf.ts'
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
import { runsPrepared } from './prepared.ts'
import { openSqlite, type SqliteGates, type SqliteOptions } from './sqlite.ts'

type Settled = { readonly value: unknown } | { readonly error: unknown }

/** A queue of transactions, and whether their commits wait for the disk. */
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

/**
 * Opens a database with group commit: waiting transactions run one after another, each under its own savepoint, and share
 * one commit and its wait for the disk. Callers get their results only after that commit. A group takes transactions of
 * each Project in rotation and ends early when it has taken long; the rest waits for the next group. Groups that need not
 * be durable alternate with durable ones, so that neither waits for the whole queue of the other.
 */
export function openGrouped(path: string, clock: Clock, given: Partial<SqliteOptions> = {}): Database {
  const heard = new Listeners()
  const troubles = new TroubleListeners()
  const groups = new Groups(troubles)
  const engine = openSqlite(path, groups.gates, { create: true, now: Date.now, ...given })
  const { dialect, writer } = engine as DatabaseEngine & { writer: Writer }
  const reads = new Kysely<Tables>({ dialect: engine.kysely })
  const writes = new Kysely<Tables>({ dialect: writer.kysely })
  runsPrepared(reads, { engine: 'sqlite', run: engine.run! })
  runsPrepared(writes, { engine: 'sqlite', run: writer.run })
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
      return groups.add(writer, isDurable, (followUps) => work(begin(followUps)))
    },
    async image() {
      for (let wait = groups.gates.beforeRead(); wait; wait = groups.gates.beforeRead()) await wait
      return writer.image()
    },
    watch: engine.watch,
    listen: (topic, listener) => heard.add(topic, listener),
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
  /** They keep others out of the database while a transaction has it. */
  readonly gates: SqliteGates
  readonly #troubles: TroubleListeners
  readonly #lines = [true, false].map((isDurable): Line => ({ isDurable, waiting: new Rotation() }))
  #running: Promise<void> | undefined
  #open: Promise<readonly Job[]> | undefined
  #current: Job | undefined
  #ids: GroupIds | undefined

  constructor(troubles: TroubleListeners) {
    this.#troubles = troubles
    this.gates = {
      readFailed: (error) => troubles.tell(error),
      beforeRead: () => this.#open ?? turn(),
      // Work that continues after its transaction has ended would write into another transaction.
      beforeWrite: () => {
        const current = this.#current
        if (!current || insideTransaction.getStore() !== current) throw new Error('the transaction has ended')
      },
    }
  }

  /** Runs `work` in a transaction of a later group, and returns its result after the commit. */
  add<T>(writer: Writer, isDurable: boolean, work: (followUps: (() => void)[]) => Promise<T>): Promise<T> {
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
      this.#running ??= this.#runAll(writer)
    })
  }

  /** Draws ids within the group that runs. */
  drawIds(count: number): number[] {
    return this.#ids!.draw(count)
  }

  /** Resolves when nothing waits any more. */
  async ended(): Promise<void> {
    await this.#running
  }

  async #runAll(writer: Writer): Promise<void> {
    const isAnyWaiting = () => this.#lines.some(({ waiting }) => waiting.size > 0)
    while (isAnyWaiting()) for (const line of this.#lines) if (line.waiting.size > 0) await this.#runNext(writer, line)
    this.#running = undefined
  }

  async #runNext(writer: Writer, line: Line): Promise<void> {
    const { waiting } = line
    // A group starts once a turn of the event loop adds no more transactions, so that requests that arrive together
    // share it.
    let met = 0
    while (waiting.size > met && met < mostInGroup) {
      met = waiting.size
      await new Promise(setImmediate)
    }
    this.#ids = groupIds(writer)
    this.#open = runGroup(writer, this.#ids, line, this.#troubles)
    for (const job of await this.#open) waiting.add(job.party, job)
    this.#open = undefined
  }
}

type Writer = DatabaseEngine['writer'] & {}

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

/**
 * Runs one group; never rejects, because errors go to the callers. Returns the transactions that must run again because
 * another one in their group hit a damaged page: SQLite cannot commit such a transaction.
 */
async function runGroup(
  writer: Writer,
  ids: GroupIds,
  { isDurable, waiting }: Line,
  troubles: TroubleListeners,
): Promise<readonly Job[]> {
  const jobs: Job[] = []
  const outcomes: Settled[] = []
  try {
    await begin(writer, isDurable)
    const end = performance.now() + groupMs
    do {
      const job = waiting.take()!
      jobs.push(job)
      outcomes.push(await runUnderSavepoint(writer, job))
    } while (waiting.size > 0 && jobs.length < mostInGroup && performance.now() < end)
    ids.save()
    commit(writer)
  } catch (error) {
    troubles.tell(error instanceof OutcomeUnknown ? error.cause : error)
    rollback(writer)
    // If the group could not begin, the transactions that would have joined it fail as well.
    while (outcomes.length === 0 && waiting.size > 0 && jobs.length < mostInGroup) jobs.push(waiting.take()!)
    const culprit = isDamage(error) ? jobs[outcomes.length] : undefined
    const failed = culprit ? [culprit] : jobs
    for (const job of failed) job.settle({ error: reported(error) })
    return jobs.filter((job) => !failed.includes(job))
  }
  jobs.forEach((job, index) => {
    job.settle(followUp(job, outcomes[index]!))
  })
  return []
}

async function runUnderSavepoint(writer: Writer, job: Job): Promise<Settled> {
  writer.exec('savepoint job')
  try {
    const value = await job.run()
    writer.exec('release job')
    return { value }
  } catch (error) {
    // A full disk may already have rolled back everything, so the whole group fails.
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

/** Another process, such as a command, may be writing: waits for it without blocking the event loop. */
async function begin(writer: Writer, isDurable: boolean): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      rollback(writer)
      writer.waitForDisk(isDurable)
      writer.exec('begin immediate')
      return
    } catch (error) {
      if (databaseFailure(error)?.kind !== 'busy' || tries === 100) throw error
      await delay(5 + tries)
    }
  }
}

/**
 * Errors: `OutcomeUnknown` on an I/O error. SQLite rolls back, but the commit record may be in the log: unless the next
 * commit overwrites it, the next start replays it. A full or locked database fails before that.
 */
function commit(writer: Writer): void {
  try {
    writer.exec('commit')
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number }
    throw (errcode & 0xff) === ioError ? new OutcomeUnknown('commit outcome unknown', { cause: error }) : error
  }
}

/** SQLITE_IOERR, the primary code of many I/O errors. */
const ioError = 10

/** Ends the open transaction. SQLite has already ended it after some failures and may be unable to after others. */
function rollback(writer: Writer): void {
  try {
    if (writer.isOpen()) writer.exec('rollback')
  } catch {
    // The next `begin` tries again and fails as long as this does.
  }
}
