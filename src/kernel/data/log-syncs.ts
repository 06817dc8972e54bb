/**
 * Makes commits of a SQLite file durable while others are being made: SQLite writes them into its log (WAL), and another
 * thread waits for the disk. Nobody hears of a commit of this process from it before that, neither who asked for it nor who
 * reads it.
 */
import { closeSync, fdatasync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { channels, measured } from '../process/channels.ts'

/** Counts commits, and knows which of them are on disk. */
export class LogSyncs {
  readonly #sync: () => Promise<void> | undefined
  #made = 0
  /** So many of those made are on disk. */
  #durable = 0
  /** The wait for the disk that has begun, and the number of commits that it is for. */
  #underWay: { readonly ended: Promise<void>; readonly made: number } | undefined
  /** The one after it. */
  #next: Promise<void> | undefined

  /** `sync` puts all commits that are made before it is called on disk; undefined where there is none. */
  constructor(sync: () => Promise<void> | undefined) {
    this.#sync = sync
  }

  /** Notes a commit, and resolves when it is on disk; undefined where there is none. Errors: as `reached`. */
  add(): Promise<void> | undefined {
    this.#made++
    return this.reached()
  }

  /**
   * Resolves when every commit by now is on disk; undefined when they are. Errors: that of the disk. The next call then
   * begins another attempt.
   */
  reached(): Promise<void> | undefined {
    if (this.#durable === this.#made) return undefined
    const underWay = this.#underWay
    if (!underWay) return this.#begin()
    // One that has begun may miss what was committed since.
    if (underWay.made === this.#made) return underWay.ended
    const begin = () => {
      this.#next = undefined
      return this.#begin()
    }
    this.#next ??= underWay.ended.then(begin, begin)
    return this.#next
  }

  /** Resolves when a commit would not have to wait for two others; undefined when it would not now. Never rejects. */
  room(): Promise<void> | undefined {
    return this.#next && this.#underWay?.ended.catch(() => undefined)
  }

  #begin(): Promise<void> | undefined {
    const made = this.#made
    const syncing = this.#sync()
    if (!syncing) {
      this.#durable = made
      return undefined
    }
    const settle = (durable: number) => {
      this.#durable = durable
      this.#underWay = undefined
    }
    const ended = syncing.then(
      () => settle(made),
      (error: unknown) => {
        settle(this.#durable)
        throw error
      },
    )
    this.#underWay = { ended, made }
    return ended
  }
}

/** Waits until the content of an open file is on disk. */
export type SyncFile = (file: number) => Promise<void>

export const syncFile: SyncFile = promisify(fdatasync)

/** SQLITE_IOERR_FSYNC: what SQLite itself reports when waiting for the disk fails. */
const syncFailed = 1034

/**
 * The log of the database file at `path`, which has to be open. `alone` runs work while nobody else writes. Errors of
 * `sync`: those of SQLite for a failing disk.
 */
export function logOf(path: string, sync: SyncFile, alone: (work: () => void) => void) {
  let file: number | undefined
  let hasFailed = false
  return {
    async sync(): Promise<void> {
      try {
        // It exists once something is committed, and as long as the database is open.
        file ??= openSync(`${path}-wal`, 'r+')
        const log = file
        if (hasFailed) alone(() => writeAgain(log))
        await measured(channels.sync, () => sync(log), {})
        hasFailed = false
      } catch (cause) {
        hasFailed = true
        const failure = new Error('the log could not be written to the disk', { cause })
        throw Object.assign(failure, { code: 'ERR_SQLITE_ERROR', errcode: syncFailed })
      }
    },
    close(): void {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

/**
 * Writes the content of a file once more. After a failure the system takes what it could not write for written, so that
 * the next wait for the disk would succeed without it.
 */
function writeAgain(file: number): void {
  const chunk = Buffer.allocUnsafe(1 << 20)
  const { size } = fstatSync(file)
  for (let at = 0; at < size; ) {
    const length = readSync(file, chunk, 0, Math.min(chunk.length, size - at), at)
    if (length === 0) return
    for (let done = 0; done < length; ) done += writeSync(file, chunk, done, length - done, at + done)
    at += length
  }
}
