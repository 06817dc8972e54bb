/** Counts who holds how much of what a process has little of, so that nobody gets more than a share. */

export interface Share {
  /** The owner of the share, such as `project 7`. */
  readonly of: string
  readonly most: number
}

export class Shares {
  readonly #held = new Map<string, number>()

  /** The first of some shares that is used up; undefined when there is room in all of them. */
  full(shares: readonly Share[]): Share | undefined {
    return shares.find(({ of, most }) => (this.#held.get(of) ?? 0) >= most)
  }

  /** Takes one from each share, also beyond it; returns a function that gives them back, once. */
  take(shares: readonly Share[]): () => void {
    for (const { of } of shares) this.#held.set(of, (this.#held.get(of) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      for (const { of } of shares) this.#giveBack(of)
    }
  }

  #giveBack(of: string): void {
    const left = (this.#held.get(of) ?? 0) - 1
    if (left > 0) this.#held.set(of, left)
    else this.#held.delete(of)
  }
}
