/** What is being carried out for requests: it goes on when their clients leave, and needs what it began with. */
export class Running {
  #count = 0
  readonly #waiting = new Set<() => void>()

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count === 0) for (const resolve of this.#waiting) resolve()
  }

  /** Resolves when nothing is being carried out, or after `patienceMs`. */
  async ended(patienceMs: number): Promise<void> {
    if (this.#count === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    const timer = setTimeout(resolve, patienceMs)
    await promise
    clearTimeout(timer)
    this.#waiting.delete(resolve)
  }
}
