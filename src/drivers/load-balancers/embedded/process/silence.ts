/** Notices that a process says nothing although it was asked. */

/** How long it may be silent, in milliseconds. A busy machine makes a process slow, but not that slow. */
const longestSilenceMs = 10_000
const tickMs = 1_000

/**
 * Counts the seconds of a silence while this process runs: when it stood still itself, as on a machine that was asleep,
 * it has not listened.
 */
export class Silence {
  readonly #onLasting: () => void
  #ticks = 0
  #ticking: NodeJS.Timeout | undefined

  constructor(onLasting: () => void) {
    this.#onLasting = onLasting
  }

  /** An answer is waited for from now on, unless one was already. */
  begin(): void {
    if (this.#ticking) return
    this.#ticks = 0
    this.#ticking = setInterval(() => this.#tick(), tickMs)
  }

  /** The process said something. */
  interrupt(): void {
    this.#ticks = 0
  }

  /** No answer is waited for any more. */
  end(): void {
    clearInterval(this.#ticking)
    this.#ticking = undefined
  }

  #tick(): void {
    this.#ticks++
    if (this.#ticks * tickMs < longestSilenceMs) return
    this.end()
    this.#onLasting()
  }
}
