/**
 * Mail with links to people. It does not go through the outbox, because a link that is kept could be read: of its secret
 * only the hash is stored. A mail that the server does not take within a few minutes is given up, and can be asked for again.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { MailRefused, type SendMail } from '../kernel/mail/smtp.ts'
import type { MailContent } from '../kernel/mail/template.ts'
import { type Clock, timestamp } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'

const attemptMs = 60_000
const pausesMs = [5_000, 30_000, 120_000]
/** More mail than this is not sent at once. */
const mostAtOnce = 50

export interface PersonMailOptions {
  readonly send: SendMail
  readonly clock: Clock
  readonly log: Logger
  /** Where links lead, such as `https://cloud.example.com`. */
  readonly origin: string
}

export class PersonMail {
  readonly #options: PersonMailOptions
  readonly #stop = new AbortController()
  readonly #sending = new Set<Promise<void>>()

  constructor(options: PersonMailOptions) {
    this.#options = options
  }

  /** Where links in mail lead, which no request decides. */
  get origin(): string {
    return this.#options.origin
  }

  /** Sends a mail in the background. Its text never reaches the log. */
  send(recipient: string, content: MailContent): void {
    if (this.#sending.size >= mostAtOnce) {
      this.#options.log.error({ to: recipient }, 'a mail was given up, since too many are under way')
      return
    }
    const sending = this.#deliver(recipient, content).finally(() => this.#sending.delete(sending))
    this.#sending.add(sending)
  }

  /** Gives up what has not been sent yet. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#sending)
  }

  async #deliver(recipient: string, content: MailContent): Promise<void> {
    const { send, clock, log } = this.#options
    const { signal } = this.#stop
    const mail = { recipient, content, message_id: randomUUID(), created: timestamp(clock.now()) }
    for (const pauseMs of [...pausesMs, undefined]) {
      try {
        await send(mail, AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]))
        return
      } catch (error) {
        const isOver = pauseMs === undefined || error instanceof MailRefused || signal.aborted
        const about = { to: recipient, reason: (error as Error).message }
        if (isOver) return void log.error(about, 'a mail with a link was given up')
        log.warn(about, 'a mail with a link could not be sent yet')
      }
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}
