/**
 * How the database is: whether it can be read, whether it can be written to, and whether it is damaged. Nothing is written
 * while all is well. Trouble that a request or background work meets is the occasion to look, by a write that needs room;
 * while that fails it is repeated, so that recovery shows without anybody's request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { Logger } from '../process/log.ts'
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
  /** Damaged until the server is started again, because only the operator can mend it. */
  readonly database: 'ok' | 'damaged'
}

/** Watches over the database of a process. */
export interface Watch {
  health(): Promise<Health>
  stop(): Promise<void>
}

/** Room that ordinary writes need, in bytes. */
const probeBytes = 65_536
/** How long the health page waits for a look that is under way, in milliseconds. */
const patienceMs = 1_000

/** Starts to listen for trouble; `pauseMs` lies between two looks. */
export function watchDatabase(db: Database, log: Logger, { pauseMs = 1_000 } = {}): Watch {
  // Trouble is told from inside the transaction that met it, where no other can be begun.
  const outside = AsyncLocalStorage.snapshot()
  const about = { database: db.location }
  let isDamaged = false
  let writesFail = false
  let looking: Promise<void> | undefined
  let pause: NodeJS.Timeout | undefined
  let isDue = false
  let stopped = false

  const look = () => {
    // Whatever comes during a look or the pause after it waits for the next one.
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
      const reads = (await troubleOf(() => probeRead(db))) ? 'failing' : 'ok'
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

/** Why `work` failed; undefined when it did not. */
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

async function probeRead({ query }: Database): Promise<void> {
  await query.selectFrom('write_probe').select('id').limit(1).execute()
}

/** Needs room, and leaves nothing. What it writes cannot be compressed, and others may be at it at the same time. */
async function probeWrite({ query }: Transaction): Promise<void> {
  const row = { id: randomInt(2 ** 47), filler: randomBytes(probeBytes / 2).toString('hex') }
  await query.insertInto('write_probe').values(row).execute()
  await query.deleteFrom('write_probe').where('id', '=', row.id).execute()
}
