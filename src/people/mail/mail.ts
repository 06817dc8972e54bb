/**
 * Mail with links to people. It is queued in the transaction that makes the link, so neither a crash nor an outage of the mail
 * server loses it, and sealed, because of the secrets of links the database otherwise has only hashes. It is sent until the
 * server takes or refuses it, or until its link ends. A mail whose sender died in between is sent again under the same
 * Message-ID.
 */
import type { Database, Transaction } from '../../kernel/data/db.ts'
import { MailRefused, type SendMail } from '../../kernel/mail/smtp.ts'
import { type MailContent, oneLine } from '../../kernel/mail/template.ts'
import { channels } from '../../kernel/process/channels.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Logger } from '../../kernel/process/log.ts'
import { backoffMs, type Claimed, releaseHeld, writeHeld } from '../../kernel/queue/leases.ts'
import { Worker } from '../../kernel/queue/worker.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import { decrypt, encrypt } from '../../kernel/secrets/kek.ts'
import type { PersonMailRow } from '../tables.ts'
import { claimPersonMail, endMail, forgetPersonMailClaims, insertMail, personMails, type Whose } from './mail-store.ts'

const attemptMs = 60_000
/** A lease outlasts an attempt by this much. */
const marginMs = 60_000
const retryMs = 5_000
const longestPauseMs = 10 * 60_000
/** Places for mail of Projects, which take turns, and those that mail of nobody's has for itself. */
const places = { projects: { atOnce: 4, perProject: 2 }, nobodys: { atOnce: 4, perProject: 4 } }
const pollMs = 5_000

export interface Letter {
  readonly recipient: string
  readonly content: MailContent
}

/** A queued letter, or a request for a new password, whose link is made when it is sent. */
type Errand = Letter | { readonly resetOf: string }

export interface PersonMailOptions {
  readonly db: Database
  /** Encrypts letters. */
  readonly key: Buffer
  readonly send: SendMail
  readonly clock: Clock
  readonly log: Logger
  /** The origin of links, such as `https://cloud.example.com`. */
  readonly origin: string
  /** Writes to who has an address about a new password; undefined when nobody has. */
  writeReset(tx: Transaction, email: string): Promise<{ letter: Letter; forMs: number } | undefined>
}

/** Counts as one Project. */
const nobody = 0 as ProjectId
type Row = Claimed<Omit<PersonMailRow, 'project_id'>> & { readonly project_id: ProjectId }

const placeOf = (id: number) => `person mail|${id}`

export class PersonMail {
  readonly #options: PersonMailOptions
  readonly #breakOff = new AbortController()
  readonly #workers: readonly Worker<Row>[]
  #isStarted = false

  constructor(options: PersonMailOptions) {
    this.#options = options
    this.#workers = (['projects', 'nobodys'] as const).map((whose) => this.#workerOf(whose))
  }

  #workerOf(whose: Whose): Worker<Row> {
    const { db, log } = this.#options
    const leaseMs = attemptMs + marginMs
    return new Worker<Row>({
      ...{ db, log, name: 'person mail', pollMs, leastRoom: 1, leaseMs, inTurns: true, ...places[whose] },
      claim: async (limit, search) => {
        const rows = await claimPersonMail(db, { whose, leaseMs, limit, search })
        return rows.map((row) => ({ ...row, project_id: row.project_id ?? nobody }))
      },
      work: ({ row }) =>
        this.#deliver(row).catch((err: unknown) => log.error({ err, mail: row.id }, 'sending mail was interrupted')),
    })
  }

  /** The origin of links in mail, which no request decides. */
  get origin(): string {
    return this.#options.origin
  }

  /**
   * Queues a letter whose link counts for `forMs`; with `scope`, one that admins of a Project have sent. Its text never reaches
   * the log.
   */
  queue(tx: Transaction, letter: Letter, forMs: number, scope?: ProjectScope): Promise<void> {
    return this.#queue(tx, letter, forMs, scope)
  }

  /** Queues a mail about a new password for who has an address, if somebody has. */
  queueReset(tx: Transaction, email: string, forMs: number): Promise<void> {
    return this.#queue(tx, { resetOf: email }, forMs)
  }

  /** Starts sending, and sends what an earlier process has left. */
  async start(): Promise<void> {
    await forgetPersonMailClaims(this.#options.db)
    this.#begin()
  }

  /** Sends all mail that is due and waits for it. */
  async run(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.drain()))
  }

  /** Lets attempts in progress finish for at most `graceMs`; the next start goes on. */
  async stop(graceMs = 5_000): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop(graceMs)))
    this.#breakOff.abort()
    await Promise.all(this.#workers.map((worker) => worker.landed()))
  }

  async #queue(tx: Transaction, errand: Errand, forMs: number, scope?: ProjectScope): Promise<void> {
    const { key } = this.#options
    const seal = (id: number) => encrypt(key, placeOf(id), Buffer.from(JSON.stringify(errand)))
    await insertMail(tx, { scope, forMs, seal })
    tx.afterCommit(() => this.#begin())
  }

  #begin(): void {
    if (this.#isStarted || this.#workers.some(({ isStopping }) => isStopping)) return
    this.#isStarted = true
    for (const worker of this.#workers) worker.start()
  }

  async #deliver(row: Row): Promise<void> {
    const { db, send, log } = this.#options
    const letter = await this.#letterIn(row)
    if (!letter) return
    const { signal } = this.#breakOff
    try {
      const { message_id, created } = row
      await send({ ...letter, message_id, created }, AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]))
    } catch (error) {
      return this.#putOff(row, letter, error as Error)
    }
    log.debug({ mail: row.id }, 'a mail with a link was sent')
    if (channels.mail.hasSubscribers) channels.mail.publish({ to: 'person', outcome: 'sent' })
    await db.transact((tx) => endMail(tx, row))
  }

  /** The letter of a row; undefined when there is nobody to write to. */
  async #letterIn(row: Row): Promise<Letter | undefined> {
    const { db, key, writeReset } = this.#options
    const errand = JSON.parse(decrypt(key, placeOf(row.id), row.sealed).toString()) as Errand
    if (!('resetOf' in errand)) return errand
    return db.transact(async (tx) => {
      const written = await writeReset(tx, errand.resetOf)
      if (!written) {
        await endMail(tx, row)
        return undefined
      }
      const sealed = encrypt(key, placeOf(row.id), Buffer.from(JSON.stringify(written.letter)))
      await writeHeld(tx, personMails, row, { sealed, expires: tx.now + written.forMs })
      return written.letter
    })
  }

  async #putOff(row: Row, { recipient }: Letter, error: Error): Promise<void> {
    const { db, log, clock } = this.#options
    const isStopped = this.#breakOff.signal.aborted
    const delayMs = isStopped ? 0 : backoffMs(retryMs, row.attempts, longestPauseMs)
    const isOver = error instanceof MailRefused || clock.now() + delayMs > row.expires
    if (channels.mail.hasSubscribers) {
      channels.mail.publish({ to: 'person', outcome: isOver ? 'given_up' : 'waiting' })
    }
    const about = { mail: row.id, to: recipient, attempts: row.attempts, reason: oneLine(error.message) }
    if (isOver) {
      await db.transact((tx) => endMail(tx, row))
      return void log.error(about, 'a mail with a link was given up')
    }
    await db.transact((tx) => releaseHeld(tx, personMails, row, { delayMs, counts: !isStopped }))
    log.warn(about, 'a mail with a link could not be sent yet')
  }
}
