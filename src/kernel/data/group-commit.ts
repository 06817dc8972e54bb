/** A database on SQLite: transactions that wait at the same time share one commit. */
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { projectServed } from '../process/behalf.ts'
import type { Clock } from '../process/clock.ts'
import { Rotation } from '../process/rotation.ts'
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
import { databaseFailure, type Engine, isTrouble } from './dialect.ts'
import { runsPrepared } from './prepared.ts'
import { openSqlite, type SqliteGates } from './sqlite.ts'

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** What waits for its turn, and whether its commits wait for the disk. */
interface Line {
  readonly isDurable: boolean
  readonly waiting: Rotation<ProjectId | undefined, Job>
}

interface Job {
  readonly party: ProjectId | undefined
  readonly followUps: (() => void)[]
  run(): Promise<unknown>
  settle(outcome: Outcome): void
}

/** How many transactions share a commit at most, and how long they may take before it, in milliseconds: so long others wait. */
const mostInGroup = 64
const groupMs = 4

/**
 * Group commit: transactions that wait at the same time run one after another, each under a savepoint of its own, and
 * share one commit, so that they share its wait for the disk. Each caller hears of its result after that commit only.
 * A group takes of each Project in rotation, and ends early when it has taken long: what waits then is the next group's.
 * Groups of what need not be durable take turns with the others, who neither wait for the whole of it nor pay for its size.
 */
export function openGrouped(path: string, clock: Clock, create = true): Database {
  const heard = new Listeners()
  const lines = [true, false].map((isDurable): Line => ({ isDurable, waiting: new Rotation() }))
  let running: Promise<void> | undefined
  let open: Promise<readonly Job[]> | undefined
  let current: Job | undefined
  const troubles = new TroubleListeners()
  const gates: SqliteGates = {
    readFailed: (error) => troubles.tell(error),
    beforeRead: () => open,
    // Work that goes on after its transaction has ended would write into somebody else's.
    beforeWrite() {
      if (!current || insideTransaction.getStore() !== current) throw new Error('the transaction has ended')
    },
  }
  const engine = openSqlite(path, gates, create)
  const { dialect, writer } = engine as Engine & { writer: Writer }
  let ids = groupIds(writer)
  const drawIds = async (count: number) => ids.draw(count)
  const reads = new Kysely<Tables>({ dialect: engine.kysely })
  const writes = new Kysely<Tables>({ dialect: writer.kysely })
  runsPrepared(reads, { engine: 'sqlite', run: engine.run! })
  runsPrepared(writes, { engine: 'sqlite', run: writer.run })
  const runNext = async (line: Line) => {
    const { waiting } = line
    // Requests that arrive together meet in one group: it starts once a turn of the event loop brings no more of them.
    let met = 0
    while (waiting.size > met && met < mostInGroup) {
      met = waiting.size
      await new Promise(setImmediate)
    }
    ids = groupIds(writer)
    open = runGroup(writer, ids, line, troubles)
    for (const job of await open) waiting.add(job.party, job)
    open = undefined
  }
  const runAll = async () => {
    const isAnyWaiting = () => lines.some(({ waiting }) => waiting.size > 0)
    while (isAnyWaiting()) for (const line of lines) if (line.waiting.size > 0) await runNext(line)
    running = undefined
  }
  return {
    dialect,
    location: path,
    get query() {
      return guarded(reads)
    },
    async transact<T>(work: (tx: Transaction) => Promise<T>, { isDurable = true }: TransactOptions = {}): Promise<T> {
      guarded(reads)
      return new Promise<T>((resolve, reject) => {
        const followUps: (() => void)[] = []
        const job: Job = {
          party: projectServed(),
          followUps,
          async run() {
            current = job
            followUps.length = 0
            try {
              const tx = handle(
                { query: writes, settings: writes, dialect, now: clock.now(), drawIds },
                followUps,
                heard,
              )
              return await insideTransaction.run(job, () => work(tx))
            } finally {
              current = undefined
            }
          },
          settle: (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value as T)),
        }
        lines.find((line) => line.isDurable === isDurable)!.waiting.add(job.party, job)
        running ??= runAll()
      })
    },
    listen: (topic, listener) => heard.add(topic, listener),
    onTrouble: (listener) => troubles.add(listener),
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
 * Never rejects: whatever happens is told to the callers. Returns those whose work has to be done again, because another
 * in their group met a damaged page: SQLite writes nothing in a transaction that did.
 */
async function runGroup(
  writer: Writer,
  ids: GroupIds,
  { isDurable, waiting }: Line,
  troubles: TroubleListeners,
): Promise<readonly Job[]> {
  const jobs: Job[] = []
  const outcomes: Outcome[] = []
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
    // Where nothing could be begun, those that would have come next are told so too.
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

async function runUnderSavepoint(writer: Writer, job: Job): Promise<Outcome> {
  writer.exec('savepoint job')
  try {
    const value = await job.run()
    writer.exec('release job')
    return { value }
  } catch (error) {
    // A full disk may have rolled everything back already, so the whole group fails for this reason.
    if (!writer.isOpen() || isDamage(error)) throw error
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

const isDamage = (error: unknown) => databaseFailure(error)?.kind === 'damaged'

/** What did not happen for want of disk or of the lock may be asked for again. */
function reported(error: unknown): unknown {
  return isTrouble(error) ? unavailable(error) : error
}

/** The command line may be writing through its own process: wait for it without stopping the event loop. */
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
 * Errors: `OutcomeUnknown` when the disk failed. SQLite takes the transaction back, but its end may lie in the log: unless
 * the next commit overwrites it, the next start finds it there. What is full or locked fails before that.
 */
function commit(writer: Writer): void {
  try {
    writer.exec('commit')
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number }
    throw (errcode & 0xff) === ioError ? new OutcomeUnknown('commit outcome unknown', { cause: error }) : error
  }
}

/** SQLITE_IOERR, of which there are many kinds. */
const ioError = 10

/** Ends what is open: SQLite has done so by itself after some failures, and may be unable to after others. */
function rollback(writer: Writer): void {
  try {
    if (writer.isOpen()) writer.exec('rollback')
  } catch {
    // The next `begin` tries again, and fails for as long as this does.
  }
}
