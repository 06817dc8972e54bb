/** Requests that are sent again after an answer that asks for it, or was lost. */
import { operationOf, type Recorded } from './recorded.ts'
import { Tally } from './tally.ts'

/**
 * The pause before a retry, by the clock of the lab: `until_told` when it lasted until the time that a 429 had told;
 * `own` when the client chose it well; `at_once` for next to none; `constant` for a short one that was as long as the
 * one before; `unknown` where the clock stood still.
 */
export const pauses = ['until_told', 'own', 'at_once', 'constant', 'unknown'] as const
export type Pause = (typeof pauses)[number]

/** Null where nothing can be said. */
export function hasBackOff(pause: Pause): boolean | null {
  return pause === 'unknown' ? null : pause === 'until_told' || pause === 'own'
}

/** A pause that is shorter, in milliseconds, is none. */
const shortestMs = 200
/** Nobody minds how alike pauses are that last this long. */
const longMs = 5_000
/** Pauses that differ by this part of the one before grow, or vary. */
const difference = 0.1

/** The most requests whose repetition is waited for. */
const mostWaiting = 1_000

interface Retried {
  readonly operation: string
  /** The code of the answer before; `lost` for an answer that did not arrive. */
  readonly code: string
  readonly pause: Pause
}

interface Unsettled {
  readonly answered: Recorded
  /** The pause before it, in milliseconds, where it was a retry itself. */
  readonly pauseMs: number | undefined
}

export class Retries {
  readonly tally = new Tally<Retried>()
  /** The last answers that asked for a repetition, by method, URL and body. */
  readonly #waiting = new Map<string, Unsettled>()

  add(recorded: Recorded): void {
    const asks = asksForAnother(recorded)
    if (!asks && this.#waiting.size === 0) return
    const key = `${recorded.method} ${recorded.url} ${recorded.body === undefined ? '' : JSON.stringify(recorded.body)}`
    const before = this.#waiting.get(key)
    this.#waiting.delete(key)
    const pauseMs = before && recorded.atMs - durationMs(recorded, before.answered) - before.answered.atMs
    if (before) this.#count(recorded, before, pauseMs!)
    if (!asks) return
    this.#waiting.set(key, { answered: recorded, pauseMs })
    if (this.#waiting.size > mostWaiting) this.#waiting.delete(this.#waiting.keys().next().value as string)
  }

  #count(recorded: Recorded, before: Unsettled, pauseMs: number): void {
    const { code: told, status, isLost } = before.answered
    const code = isLost ? 'lost' : (told ?? String(status))
    const operation = operationOf(recorded)
    const pause = recorded.isStill && pauseMs === 0 ? 'unknown' : judge(before, pauseMs)
    this.tally.add(`${operation} ${code} ${pause}`, () => ({ operation, code, pause }))
  }
}

/** The time by the clock of the lab that a request took since the answer before it. */
function durationMs({ atMs, isStill, cameMs, answeredMs }: Recorded, before: Recorded): number {
  return isStill ? 0 : Math.min(answeredMs - cameMs, atMs - before.atMs)
}

function judge({ answered: { atMs, againMs }, pauseMs: beforeMs }: Unsettled, pauseMs: number): Pause {
  if (againMs !== undefined && atMs + pauseMs >= againMs) return 'until_told'
  if (pauseMs < shortestMs) return 'at_once'
  const isAlike = beforeMs !== undefined && Math.abs(pauseMs - beforeMs) <= beforeMs * difference
  return isAlike && pauseMs < longMs ? 'constant' : 'own'
}

function asksForAnother({ status, code, isLost }: Recorded): boolean {
  return isLost || status === 429 || status >= 500 || code === 'conflict' || code === 'locked'
}
