/** Work that can wait: one piece each time that everything else had its turn. */
export class Line {
  readonly #waiting: (() => void)[] = []

  join(work: () => void): void {
    if (this.#waiting.push(work) === 1) setImmediate(this.#call)
  }

  readonly #call = (): void => {
    // First of all, so that the line goes on when the work throws.
    if (this.#waiting.length > 1) setImmediate(this.#call)
    this.#waiting.shift()?.()
  }
}
