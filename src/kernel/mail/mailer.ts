/**
 * Sends the mail in the outbox. An attempt ends before its lease, so no two attempts overlap. An accepted mail is
 * recorded as sent, with retries while the database is away. When a worker dies in between, the next claim sends the
 * mail again under the same Message-ID. So no mail is lost, and none is sent twice unless the server's reply was lost.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../data/db.ts'
import { channels } from '../process/channels.ts'
import { type Faults, noFaults } from '../process/faults.ts'
import type { Logger } from '../process/log.ts'
import { backoffMs, LeaseLost } from '../queue/leases.ts'
import { type Claim, Worker } from '../queue/worker.ts'
import { claimMail, type Delivery, forgetMailClaims, type Outcome, recordAttempt } from './deliveries.ts'
import { MailRefused, type SendMail } from './smtp.ts'
import { oneLine, renderMail } from './template.ts'

export interface MailerOptions {
  readonly db: Database
  readonly log: Logger
  /** Undefined writes mail to the log instead. */
  readonly send: SendMail | undefined
  readonly faults?: Faults
  /** Timeout of an attempt, in milliseconds. A shorter one may miss the server's acceptance (RFC 5321, 4.5.3.2). */
  readonly attemptMs?: number
  /** Backoff before the second attempt, in milliseconds; doubles with each attempt. */
  readonly retryMs?: number
  /** Pause between attempts to record an outcome, in milliseconds. */
  readonly recordMs?: number
}

export interface Mailer {
  /** Starts sending: after each commit that queues mail, and by polling for mail of other processes. */
  start(): Promise<void>
  /** Sends all mail that is due and waits for it. */
  run(): Promise<void>
  /** Lets attempts in progress finish for at most `graceMs`, then aborts them; they are retried later. */
  stop(graceMs?: number): Promise<void>
}

const atOnce = 8
/** Limit of concurrent attempts for one Project. */
const perProject = 5
const pollMs = 5_000
const longestPauseMs = 3_600_000
/** The time for which delivery of a mail is tried (RFC 5321, 4.5.4.1). */
const patienceMs = 5 * 86_400_000
/** The time by which a lease outlasts an attempt, in milliseconds. */
const marginMs = 60_000

/** Creates a mailer; it does nothing before it is started. */
export function openMailer(options: MailerOptions): Mailer {
  const { db, log, attemptMs = 600_000 } = options
  const breakOff = new AbortController()
  const isStopping = () => worker.isStopping
  const sender = {
    faults: noFaults,
    retryMs: 60_000,
    recordMs: 1_000,
    ...options,
    breakOff: breakOff.signal,
    isStopping,
  }
  const worker: Worker<Delivery> = new Worker({
    ...{ db, log, name: 'mail', pollMs, atOnce, perProject, leastRoom: 1, inTurns: true },
    leaseMs: attemptMs + marginMs,
    claim: (limit, search) => claimMail(db, attemptMs + marginMs, limit, search),
    async work({ row, askedAt }: Claim<Delivery>) {
      await deliver(sender, row, askedAt + attemptMs).catch((error: unknown) => {
        if (error instanceof LeaseLost) log.warn({ mail: row.id, attempts: row.attempts }, 'a mail was taken over')
        else log.error({ err: error, mail: row.id }, 'sending mail was interrupted')
      })
    },
  })
  return {
    async start() {
      await forgetMailClaims(db)
      worker.start()
    },
    run: () => worker.drain(),
    async stop(graceMs = 5_000) {
      await worker.stop(graceMs)
      breakOff.abort()
      await worker.landed()
    },
  }
}

/** The options of the mailer with their defaults. */
type Sender = Required<Pick<MailerOptions, 'faults' | 'retryMs' | 'recordMs'>> &
  Pick<MailerOptions, 'db' | 'log' | 'send'> & { readonly breakOff: AbortSignal; isStopping(): boolean }

/** Makes one attempt, which ends at `endsAt`, and records it. Errors: `LeaseLost`; errors of recording. */
async function deliver(sender: Sender, mail: Delivery, endsAt: number): Promise<void> {
  const { log, faults } = sender
  await faults.reach('mail:before-send')
  const outcome = await attempt(sender, mail, endsAt)
  await faults.reach('mail:after-send')
  if (channels.mail.hasSubscribers) channels.mail.publish({ to: 'owner', outcome: outcome.state })
  const about = { mail: mail.id, attempts: mail.attempts, ...('error' in outcome ? { reason: outcome.error } : {}) }
  if (outcome.state === 'given_up') log.error(about, 'a mail was given up')
  else if (outcome.state === 'waiting') log.warn(about, 'a mail could not be sent yet')
  await record(sender, mail, outcome, endsAt + marginMs / 2)
}

async function attempt({ send, log, retryMs, breakOff }: Sender, mail: Delivery, endsAt: number): Promise<Outcome> {
  if (!send) {
    const { id, recipient, content } = mail
    log.info({ mail: id, to: recipient, subject: content.subject, text: renderMail(content).text }, 'mail, not sent')
    return { state: 'logged' }
  }
  const late = AbortSignal.timeout(Math.max(0, Math.floor(endsAt - performance.now())))
  try {
    await send(mail, AbortSignal.any([late, breakOff]))
    return { state: 'sent' }
  } catch (thrown) {
    const error = late.aborted ? 'the server took too long' : oneLine((thrown as Error).message)
    if (thrown instanceof MailRefused || mail.ageMs > patienceMs) return { state: 'given_up', error }
    return { state: 'waiting', error, pauseMs: backoffMs(retryMs, mail.attempts, longestPauseMs) }
  }
}

/** Retries while the database is away: a sent mail must not look unsent. */
async function record(sender: Sender, mail: Delivery, outcome: Outcome, until: number): Promise<void> {
  const { db, log, faults, recordMs, isStopping } = sender
  for (;;) {
    try {
      await faults.reach('mail:before-record')
      return await recordAttempt(db, mail, outcome)
    } catch (error) {
      if (error instanceof LeaseLost || isStopping() || performance.now() > until) throw error
      log.warn({ err: error, mail: mail.id }, 'what became of a mail could not be recorded yet')
      await delay(recordMs)
    }
  }
}
