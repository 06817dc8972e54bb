/**
 * Sends what is in the outbox. An attempt ends before its claim does, so that no two are under way; what a server has taken
 * on is recorded however often that takes; and who dies in between leaves the mail to the next claim, which sends it again
 * under the same Message-ID. So none is lost, and none sent twice unless the answer of the server was.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../data/db.ts'
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
  /** Undefined writes the mail to the log instead. */
  readonly send: SendMail | undefined
  readonly faults?: Faults
  /** Milliseconds that an attempt may take; whoever asks earlier may miss that the mail was taken (RFC 5321, 4.5.3.2). */
  readonly attemptMs?: number
  /** Milliseconds before the second attempt; doubles each time. */
  readonly retryMs?: number
  /** Milliseconds between attempts at recording what happened. */
  readonly recordMs?: number
}

export interface Mailer {
  /** Begins to send: after each commit that queues mail, and by a poll that finds what others left. */
  start(): Promise<void>
  /** Sends all that is due, and waits for it. */
  run(): Promise<void>
  /** Lets what is under way end for at most `graceMs`, then breaks it off; it is tried again later. */
  stop(graceMs?: number): Promise<void>
}

const atOnce = 8
/** Of one Project. */
const perProject = 5
const pollMs = 5_000
const longestPauseMs = 3_600_000
/** How long a mail is tried (RFC 5321, 4.5.4.1). */
const patienceMs = 5 * 86_400_000
/** What a claim lasts longer than an attempt, in milliseconds. */
const marginMs = 60_000

/** Makes a mailer; it does nothing before it is started. */
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
    ...{ db, log, name: 'mail', pollMs, atOnce, perProject, leastRoom: 1 },
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

/** What sends, with all options given. */
type Sender = Required<Pick<MailerOptions, 'faults' | 'retryMs' | 'recordMs'>> &
  Pick<MailerOptions, 'db' | 'log' | 'send'> & { readonly breakOff: AbortSignal; isStopping(): boolean }

/** Makes one attempt, which ends at `endsAt`, and records it. Errors: `LeaseLost`; what keeps it from being recorded. */
async function deliver(sender: Sender, mail: Delivery, endsAt: number): Promise<void> {
  const { log, faults } = sender
  await faults.reach('mail:before-send')
  const outcome = await attempt(sender, mail, endsAt)
  await faults.reach('mail:after-send')
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

/** A database that is away must not make a mail that was sent look as if it was not. */
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
