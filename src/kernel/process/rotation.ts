/** Sharing out fairly: what waits for the same thing is served by Project, in rotation. */

/**
 * Things that wait, each on behalf of some party, such as a Project. One is taken of each in turn, the oldest first: a
 * party that has a thousand waiting keeps others from nothing but one place in each round.
 */
export class Rotation<Party, T> {
  /** The first has its turn next; a party that had its turn goes to the end. */
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

  /** Those who have something waiting, in the order of their turns. */
  parties(): Iterable<Party> {
    return this.#parties.keys()
  }

  has(party: Party): boolean {
    return this.#parties.has(party)
  }

  /** Takes what is next; undefined when nothing waits. */
  take(): T | undefined {
    for (const party of this.#parties.keys()) return this.takeOf(party)
    return undefined
  }

  /** Takes the oldest of one party, which has something waiting; its others come after those of everybody else. */
  takeOf(party: Party): T {
    const items = this.#parties.get(party)!
    const item = items.shift() as T
    this.#size--
    if (items.length === 0) this.#parties.delete(party)
    else this.putLast(party)
    return item
  }

  /** Gives the turn of a party away: it goes to the end. */
  putLast(party: Party): void {
    const items = this.#parties.get(party)
    // A party that is alone need not go to the end.
    if (!items || this.#parties.size === 1) return
    this.#parties.delete(party)
    this.#parties.set(party, items)
  }
}
