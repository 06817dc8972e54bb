/**
 * Entries that no transaction of a change can write: those of refused changes, and of requests that found nothing to
 * change. They are written in batches shortly afterwards; a crash may lose the last of them.
 */
import type { Database } from '../data/db.ts'
import { onOwnBehalf } from '../process/behalf.ts'
import type { Clock } from '../process/clock.ts'
import type { Logger } from '../process/log.ts'
import { entryOf } from './audited.ts'
import { append, type Entry } from './entries.ts'
import { Note, type Requested } from './note.ts'

/** The time for which entries gather before they are written, in milliseconds. */
const gatherMs = 200
const writtenAtOnce = 100
/** The most entries that wait while the database is away. */
const mostWaiting = 10_000

interface Waiting {
  readonly entry: Entry
  readonly at: number
}

export interface AuditLogOptions {
  readonly db: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
}

export class AuditLog {
  readonly #options: AuditLogOptions
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #lost = 0

  constructor(options: AuditLogOptions) {
    this.#options = options
  }

  /** Notes the end of a request that succeeded, whose entry a transaction has written if it changed anything. */
  succeeded(note: Note): void {
    if (note.state === 'open') this.#add(entryOf(note))
    note.state = 'closed'
  }

  /**
   * Notes the end of a request that was refused; `note` is missing where it was refused before it began. One that
   * succeeded and could not be told so has its entry already.
   */
  refused(requested: Requested, note: Note | undefined, { code, status }: { code: string; status: number }): void {
    if (note?.state === 'closed') return
    const entry = entryOf(note ?? new Note(requested))
    if (note) note.state = 'closed'
    this.#add({ ...entry, outcome: code, status })
  }

  /** Writes everything that waits. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#writing) await this.#writing
    if (this.#waiting.length === 0) return
    this.#writing = onOwnBehalf(() => this.#write())
    await this.#writing
    this.#writing = undefined
  }

  #add(entry: Entry): void {
    if (this.#waiting.length >= mostWaiting) {
      this.#lost++
      return
    }
    this.#waiting.push({ entry, at: this.#options.clock.now() })
    this.#timer ??= onOwnBehalf(() => setTimeout(() => void this.flush(), gatherMs)).unref()
  }

  async #write(): Promise<void> {
    const { db, log } = this.#options
    while (this.#waiting.length > 0) {
      const some = this.#waiting.slice(0, writtenAtOnce)
      try {
        await db.transact(
          async (tx) => {
            for (const { entry, at } of some) await append(tx, entry, at)
          },
          { isDurable: false },
        )
      } catch (error) {
        log.warn({ err: error, waiting: this.#waiting.length }, 'refused changes are not in the audit log yet')
        this.#timer ??= setTimeout(() => void this.flush(), 10 * gatherMs).unref()
        return
      }
      this.#waiting = this.#waiting.slice(some.length)
      if (this.#lost > 0) log.warn({ lost: this.#lost }, 'refused changes are missing from the audit log')
      this.#lost = 0
    }
  }
}
