/**
 * Time in which this process runs. After a pause, as on a machine that is too busy, timers come before what arrived meanwhile
 * is read, and who was kept from sending more needs time to: whoever waits for somebody else must not blame them for that.
 */

const tickMs = 250
/** Two looks at the clock that are further apart have a pause between them. */
const longestMs = 2 * tickMs

/** Notices pauses of this process while it is open. */
export class Pauses {
  #looked = performance.now()
  #ended = Number.NEGATIVE_INFINITY
  readonly #timer = setInterval(() => this.#look(), tickMs).unref()

  /** Tells whether one has ended within the last `ms`. */
  within(ms: number): boolean {
    this.#look()
    return performance.now() - this.#ended < ms
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    if (now - this.#looked > longestMs) this.#ended = now
    this.#looked = now
  }
}

/** Calls back after `ms` in which this process ran, and once it has read what has arrived. What it returns calls it off. */
export function afterRunning(ms: number, then: () => void): () => void {
  let left = ms
  let looked = performance.now()
  let isOff = false
  const wait = () => setTimeout(look, Math.min(left, tickMs)).unref()
  const look = () => {
    const now = performance.now()
    left -= Math.min(now - looked, longestMs)
    looked = now
    if (left > 0) timer = wait()
    else setImmediate(() => isOff || then())
  }
  let timer = wait()
  return () => {
    isOff = true
    clearTimeout(timer)
  }
}
