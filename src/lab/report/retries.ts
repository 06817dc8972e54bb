/** Requests that are sent again after an answer that asks for it. */
import { operationOf, type Recorded } from './recorded.ts'
import { Tally } from './tally.ts'

/** A retry that comes sooner after its answer has no back-off, in milliseconds of the machine's clock. */
const backOffMs = 200

/** The most requests whose repetition is waited for. */
const mostWaiting = 1_000

interface Retried {
  readonly operation: string
  /** The code of the answer before. */
  readonly code: string
  readonly hasBackOff: boolean
}

export class Retries {
  readonly tally = new Tally<Retried>()
  /** The last answers that asked for a repetition, by method, URL and body. */
  readonly #waiting = new Map<string, Recorded>()

  add(recorded: Recorded): void {
    const asks = asksForAnother(recorded)
    if (!asks && this.#waiting.size === 0) return
    const key = `${recorded.method} ${recorded.url} ${recorded.body === undefined ? '' : JSON.stringify(recorded.body)}`
    const before = this.#waiting.get(key)
    this.#waiting.delete(key)
    if (before) {
      const hasBackOff = recorded.cameMs - before.answeredMs >= backOffMs
      const operation = operationOf(recorded)
      const code = before.code ?? String(before.status)
      this.tally.add(`${operation} ${code} ${hasBackOff}`, () => ({ operation, code, hasBackOff }))
    }
    if (!asks) return
    this.#waiting.set(key, recorded)
    if (this.#waiting.size > mostWaiting) this.#waiting.delete(this.#waiting.keys().next().value as string)
  }
}

function asksForAnother({ status, code }: Recorded): boolean {
  return status === 429 || status >= 500 || code === 'conflict' || code === 'locked'
}
