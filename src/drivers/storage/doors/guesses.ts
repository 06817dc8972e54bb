/** Callers who guess passwords wrong too often are not heard for a while. */

/** A caller may be wrong so often at once, and then once in so many milliseconds. */
const most = 30
const eachMs = 2_000
/** Callers that are known at a time; those that guessed longest ago are forgotten first. */
const mostCallers = 20_000

/** A bucket for each caller: a guess takes from it until it is known to be right. */
export class Guesses {
  readonly #now: () => number
  /** Each caller's bucket is full again at this time. */
  readonly #fullAt = new Map<string, number>()

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Counts a guess. Returns false, and counts nothing, when the caller has none left. */
  begin(caller: string): boolean {
    const now = this.#now()
    const fullAt = Math.max(now, this.#fullAt.get(caller) ?? 0) + eachMs
    if (fullAt - now > most * eachMs) return false
    this.#fullAt.delete(caller)
    if (this.#fullAt.size >= mostCallers) this.#fullAt.delete(this.#fullAt.keys().next().value!)
    this.#fullAt.set(caller, fullAt)
    return true
  }

  /** Takes one back, which was none. */
  takeBack(caller: string): void {
    const fullAt = this.#fullAt.get(caller)
    if (fullAt !== undefined) this.#fullAt.set(caller, fullAt - eachMs)
  }
}
