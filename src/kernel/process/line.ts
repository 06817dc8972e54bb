/** A queue of deferrable work: runs one piece per turn of the event loop. */
export class Line {
  readonly #waiting: (() => void)[] = []

  join(work: () => void): void {
    if (this.#waiting.push(work) === 1) setImmediate(this.#call)
  }

  readonly #call = (): void => {
    // Scheduled first, so that the queue continues when the work throws.
    if (this.#waiting.length > 1) setImmediate(this.#call)
    this.#waiting.shift()?.()
  }
}
