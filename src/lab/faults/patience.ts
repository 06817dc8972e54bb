/** Waits that end early: when nobody waits for the answer any more, and when the cloud ends. */
import type { Writable } from 'node:stream'

export class Patience {
  readonly #waits = new Set<() => void>()
  #isOver = false

  /**
   * Resolves after so many milliseconds of the machine's time, or sooner: also when what is to be answered closes. Tells
   * whether the time has passed.
   */
  wait(ms: number, response?: Writable): Promise<boolean> {
    if (this.#isOver || response?.destroyed) return Promise.resolve(false)
    if (ms === 0) return Promise.resolve(true)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const settle = (hasPassed: boolean) => {
      clearTimeout(timer)
      this.#waits.delete(end)
      response?.off('close', end)
      resolve(hasPassed)
    }
    const end = () => settle(false)
    const timer = setTimeout(() => settle(true), ms)
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
