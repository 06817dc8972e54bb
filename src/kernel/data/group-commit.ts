/** A database on SQLite: transactions that wait at the same time share one commit. */
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import {
  type Database,
  guarded,
  handle,
  insideTransaction,
  Listeners,
  type Tables,
  type Transaction,
  unavailable,
} from '../db.ts'
import { databaseFailure, type Engine } from '../dialect.ts'
import { shortcuts } from '../prepared.ts'
import { openSqlite } from './sqlite.ts'

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
export function openGrouped(path: string, clock: Clock): Database {
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
