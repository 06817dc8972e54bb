/** Fair queueing: waiting items are served by Project, in rotation. */

/**
 * Waiting items, each of some party, such as a Project. Parties take turns, and each gives its oldest item: a party
 * with a thousand items costs the others only one place per round.
 */
export class Rotation<Party, T> {
  /** The first party is next; a party that was served goes to the end. */
  readonly #parties = new Map<Party, T[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(party: Party, item: T): void {
    const items = this.#parties.get(party)
    if (items) items.push(item)
    else this.#parties.set(party, [item])
    this.#size++
  }

  /** The parties with waiting items, in the order of their turns. */
  parties(): Iterable<Party> {
    return this.#parties.keys()
  }

  has(party: Party): boolean {
    return this.#parties.has(party)
  }

  /** Takes the next item; undefined when nothing waits. */
  take(): T | undefined {
    for (const party of this.#parties.keys()) return this.takeOf(party)
    return undefined
  }

  /** Takes the oldest item of a party, which must have one, and moves the party to the end. */
  takeOf(party: Party): T {
    const items = this.#parties.get(party)!
    const item = items.shift() as T
    this.#size--
    if (items.length === 0) this.#parties.delete(party)
    else this.putLast(party)
    return item
  }

  /** Moves a party to the end. */
  putLast(party: Party): void {
    const items = this.#parties.get(party)
    // A single party need not be moved.
    if (!items || this.#parties.size === 1) return
    this.#parties.delete(party)
    this.#parties.set(party, items)
  }
}
