/**
 * Health of the database: whether it can be read and written, and whether it is damaged. Nothing is written while all
 * is well. An error of a request or background job triggers a probe, a write that needs disk space; a failing probe is
 * repeated, so that recovery is noticed without any request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, randomInt } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { ApiError } from '../errors.ts'
import type { Logger } from '../process/log.ts'
import { afterRunning } from '../process/running-time.ts'
import { type Database, OutcomeUnknown, type Transaction } from './db.ts'
import { databaseFailure } from './dialect.ts'

/** A row that no other transaction ever sees. */
interface WriteProbeRow {
  readonly id: number
  readonly filler: string
}

declare module './db.ts' {
  interface Tables {
    write_probe: WriteProbeRow
  }
}

export interface Health {
  readonly reads: 'ok' | 'failing'
  readonly writes: 'ok' | 'failing'
  /** Stays `damaged` until the server restarts, because only the operator can repair it. */
  readonly database: 'ok' | 'damaged'
}

/** Monitors the database of a process. */
export interface Watch {
  health(): Promise<Health>
  stop(): Promise<void>
}

/** Space that ordinary writes need, in bytes. */
const probeBytes = 65_536
/** The time that the health page waits for a running probe and for a read, in milliseconds: balancers wait little longer. */
const patienceMs = 1_000

/** Starts listening for trouble; `pauseMs` is the pause between two probes. */
export function watchDatabase(db: Database, log: Logger, { pauseMs = 1_000 } = {}): Watch {
  // Errors are reported from inside the failed transaction, where no other can be started.
  const outside = AsyncLocalStorage.snapshot()
  const about = { database: db.location }
  let isDamaged = false
  let writesFail = false
  let looking: Promise<void> | undefined
  let pause: NodeJS.Timeout | undefined
  let isDue = false
  let stopped = false

  const look = () => {
    // Errors during a probe or the pause after it wait for the next probe.
    isDue = looking !== undefined || pause !== undefined
    if (isDue || stopped) return
    looking = outside(lookOnce).finally(() => {
      looking = undefined
      pause = setTimeout(() => {
        pause = undefined
        if (isDue) look()
      }, pauseMs).unref()
    })
  }
  const lookOnce = async () => {
    const trouble = await troubleOf(() => db.transact(probeWrite))
    if (trouble && !writesFail) log.error({ ...about, reason: trouble }, 'writes fail')
    if (!trouble && writesFail) log.info(about, 'writes work again')
    writesFail = trouble !== undefined
    if (writesFail) isDue = true
  }
  const stopListening = db.onTrouble((error) => {
    if (!isDamaged && databaseFailure(error)?.kind === 'damaged') {
      isDamaged = true
      log.error({ ...about, reason: reasonOf(error) }, 'the database is damaged: stop the server and restore a backup')
    }
    look()
  })
  return {
    async health() {
      const reads = (await troubleOf(() => inTime(probeRead(db)))) ? 'failing' : 'ok'
      if (reads === 'failing') look()
      await Promise.race([looking, delay(patienceMs, undefined, { ref: false })])
      return { reads, writes: writesFail ? 'failing' : 'ok', database: isDamaged ? 'damaged' : 'ok' }
    },
    async stop() {
      stopped = true
      stopListening()
      clearTimeout(pause)
      await looking
    },
  }
}

/** Returns the size of the data in bytes, and how long the database took to tell. Errors: those of the database. */
export async function databaseSize({ dialect, query }: Database): Promise<{ bytes: number; tookMs: number }> {
  const begun = performance.now()
  await probeRead({ query })
  const tookMs = Math.round((performance.now() - begun) * 100) / 100
  const { rows } = await sql<{ bytes: number }>`select ${dialect.sizeBytes} as bytes`.execute(query)
  return { bytes: Number(rows[0]?.bytes ?? 0), tookMs }
}

/** The size of the log beside the file of a database, in bytes; undefined where there is none of this process. */
export async function logBytes({ dialect, location }: Database): Promise<number | undefined> {
  if (dialect.shared) return undefined
  try {
    return (await stat(`${location}-wal`)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/** The reason why `work` failed; undefined when it succeeded. */
async function troubleOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

function reasonOf(error: unknown): string {
  const { cause = error } = error instanceof ApiError || error instanceof OutcomeUnknown ? error : {}
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause)
}

/** Errors: that it took too long, of time in which this process ran. */
async function inTime(read: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const callOff = afterRunning(patienceMs, () => late.reject(new Error('the database does not answer in time')))
  await Promise.race([read, late.promise]).finally(callOff)
}

async function probeRead({ query }: Pick<Database, 'query'>): Promise<void> {
  await query.selectFrom('write_probe').select('id').limit(1).execute()
}

/**
 * Writes and deletes a row, which needs disk space. The data is random, so that it cannot be compressed, and the id is
 * random for concurrent probes.
 */
async function probeWrite({ query }: Transaction): Promise<void> {
  const row = { id: randomInt(2 ** 47), filler: randomBytes(probeBytes / 2).toString('hex') }
  await query.insertInto('write_probe').values(row).execute()
  await query.deleteFrom('write_probe').where('id', '=', row.id).execute()
}
