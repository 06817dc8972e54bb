/**
 * Sends what is in the outbox. An attempt ends before its claim does, so that no two are under way; what a server has taken
 * on is recorded however often that takes; and who dies in between leaves the mail to the next claim, which sends it again
 * under the same Message-ID. So none is lost, and none sent twice unless the answer of the server was.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../data/db.ts'
import { type Faults, noFaults } from '../process/faults.ts'
import type { Logger } from '../process/log.ts'
import { claimMail, type Delivery, forgetClaims, type Outcome, recordAttempt } from './deliveries.ts'
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

const mostAtOnce = 5
const pollMs = 5_000
const longestPauseMs = 3_600_000
/** How long a mail is tried (RFC 5321, 4.5.4.1). */
const patienceMs = 5 * 86_400_000
/** What a claim lasts longer than an attempt, in milliseconds. */
const marginMs = 60_000

/** Makes a mailer; it does nothing before it is started. */
export function openMailer(options: MailerOptions): Mailer {
  const { db, log, send, faults = noFaults, attemptMs = 600_000, retryMs = 60_000, recordMs = 1_000 } = options
  const lanes = new Set<Promise<void>>()
  const breakOff = new AbortController()
  let poll: NodeJS.Timeout | undefined
  let stopping = false

  const wake = () => {
    if (stopping || lanes.size >= mostAtOnce) return
    const lane = work()
      .catch((error: unknown) => log.error({ err: error }, 'sending mail was interrupted'))
      .finally(() => lanes.delete(lane))
    lanes.add(lane)
  }

  /** One after the other until none is due; where there is one there may be more, so another lane helps. */
  const work = async () => {
    while (!stopping) {
      const endsAt = performance.now() + attemptMs
      const mail = await claimMail(db, attemptMs + marginMs)
      if (!mail) return
      wake()
      await deliver(mail, endsAt)
    }
  }

  const deliver = async (mail: Delivery, endsAt: number) => {
    await faults.reach('mail:before-send')
    const outcome = await attempt(mail, endsAt)
    await faults.reach('mail:after-send')
    const about = { mail: mail.id, attempts: mail.attempts, ...('error' in outcome ? { reason: outcome.error } : {}) }
    if (outcome.state === 'given_up') log.error(about, 'a mail was given up')
    else if (outcome.state === 'waiting') log.warn(about, 'a mail could not be sent yet')
    if (!(await record(mail, outcome, endsAt + marginMs / 2))) log.warn(about, 'a mail was taken over')
  }

  const attempt = async (mail: Delivery, endsAt: number): Promise<Outcome> => {
    if (!send) return writeToLog(mail)
    const late = AbortSignal.timeout(Math.max(0, Math.floor(endsAt - performance.now())))
    try {
      await send(mail, AbortSignal.any([late, breakOff.signal]))
      return { state: 'sent' }
    } catch (thrown) {
      const error = late.aborted ? 'the server took too long' : oneLine((thrown as Error).message)
      if (thrown instanceof MailRefused || mail.ageMs > patienceMs) return { state: 'given_up', error }
      const pause = Math.min(longestPauseMs, retryMs * 2 ** (mail.attempts - 1))
      return { state: 'waiting', error, pauseMs: pause * (0.75 + Math.random() / 2) }
    }
  }

  const writeToLog = ({ id, recipient, content }: Delivery): Outcome => {
    log.info({ mail: id, to: recipient, subject: content.subject, text: renderMail(content).text }, 'mail, not sent')
    return { state: 'logged' }
  }

  /** A database that is away must not make a mail that was sent look as if it was not. */
  const record = async (mail: Delivery, outcome: Outcome, until: number): Promise<boolean> => {
    for (;;) {
      try {
        await faults.reach('mail:before-record')
        return await recordAttempt(db, mail, outcome)
      } catch (error) {
        if (stopping || performance.now() > until) throw error
        log.warn({ err: error, mail: mail.id }, 'what became of a mail could not be recorded yet')
        await delay(recordMs)
      }
    }
  }

  const landed = async () => {
    while (lanes.size > 0) await Promise.all(lanes)
  }

  return {
    async start() {
      await forgetClaims(db)
      db.listen('mail', wake)
      poll = setInterval(wake, pollMs)
      wake()
    },
    run() {
      wake()
      return landed()
    },
    async stop(graceMs = 5_000) {
      stopping = true
      clearInterval(poll)
      const patience = setTimeout(() => breakOff.abort(), graceMs)
      await landed()
      clearTimeout(patience)
    },
  }
}
