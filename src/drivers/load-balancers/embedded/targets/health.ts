/** Keeps checking the target of a service: the first check alone decides, later ones only so many in a row. */
import type { Health } from '../../../../families/load-balancers/driver.ts'
import { type CheckedTarget, type CheckResult, checkTarget } from './health-check.ts'

/** First checks are spread over this time, so that those of many targets do not come at once. */
const firstWithinMs = 1_000

export class HealthWatch {
  #target: CheckedTarget
  readonly #onChange: () => void
  #health: Health = { status: 'unknown' }
  /** How many checks in a row said the opposite. */
  #contrary = 0
  #timer: NodeJS.Timeout | undefined
  /** Ends the check that is running. */
  #deadline = new AbortController()
  #isClosed = false

  constructor(target: CheckedTarget, onChange: () => void) {
    this.#target = target
    this.#onChange = onChange
    this.#checkIn(Math.random() * firstWithinMs)
  }

  get health(): Health {
    return this.#health
  }

  /** Goes on with the health known so far. An unchanged check also keeps its schedule. */
  update(target: CheckedTarget): void {
    if (JSON.stringify(target) === JSON.stringify(this.#target)) return
    this.#target = target
    this.#contrary = 0
    this.#checkIn(Math.random() * firstWithinMs)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#deadline.abort()
  }

  #checkIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#check(), ms)
  }

  async #check(): Promise<void> {
    const target = this.#target
    const startedAt = performance.now()
    this.#deadline = new AbortController()
    const timer = setTimeout(() => this.#deadline.abort(), target.check.timeout * 1_000)
    const result = await checkTarget(target, this.#deadline.signal).finally(() => clearTimeout(timer))
    // If the check was changed meanwhile, another one is on its way.
    if (this.#isClosed || target !== this.#target) return
    this.#judge(result, target.check.retries)
    this.#checkIn(Math.max(target.check.interval * 1_000 - (performance.now() - startedAt), 0))
  }

  #judge(result: CheckResult, retries: number): void {
    const before = this.#health.status
    this.#contrary = result.status === before ? 0 : this.#contrary + 1
    // A healthy target that failed once is still healthy; an unhealthy one has the reason of its last failure.
    const isDecided = before === 'unknown' || this.#contrary >= retries || result.status === before
    if (!isDecided) return
    this.#contrary = 0
    this.#health = result
    if (before !== result.status) this.#onChange()
  }
}
