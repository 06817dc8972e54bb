/** Waits that end early: when nobody waits for the answer any more, and when the cloud ends. */
import type { Writable } from 'node:stream'

export class Patience {
  readonly #waits = new Set<() => void>()
  #isOver = false

  /** Resolves after so many milliseconds of the machine's time, or sooner: also when what is to be answered closes. */
  wait(ms: number, response?: Writable): Promise<void> {
    if (this.#isOver || response?.destroyed || ms === 0) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = () => {
      clearTimeout(timer)
      this.#waits.delete(end)
      response?.off('close', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    this.#waits.add(end)
    response?.once('close', end)
    return promise
  }

  /** Ends all waits; nobody waits any more. */
  end(): void {
    this.#isOver = true
    for (const end of [...this.#waits]) end()
  }
}
