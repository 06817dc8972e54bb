/** Sharing out fairly: what waits for the same thing is served by Project, in rotation. */

import type { ProjectId } from '../scope.ts'
import { projectServed } from './behalf.ts'

/**
 * Things that wait, each on behalf of a Project or of the installation itself. One is taken of each in turn, the oldest
 * first: whoever has a thousand waiting keeps others from nothing but one place in each round.
 */
export class Rotation<T> {
  /** The first has its turn next; whoever had it goes to the end. */
  readonly #parties = new Map<ProjectId | undefined, T[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Has something wait, on behalf of whom the caller runs for unless told otherwise. */
  add(item: T, party: ProjectId | undefined = projectServed()): void {
    const items = this.#parties.get(party)
    if (items) items.push(item)
    else this.#parties.set(party, [item])
    this.#size++
  }

  /** Takes what is next; undefined when nothing waits. */
  take(): T | undefined {
    for (const [party, items] of this.#parties) {
      const item = items.shift() as T
      this.#size--
      // Who is alone need not go to the end.
      if (items.length === 0) this.#parties.delete(party)
      else if (this.#parties.size > 1) {
        this.#parties.delete(party)
        this.#parties.set(party, items)
      }
      return item
    }
    return undefined
  }
}
