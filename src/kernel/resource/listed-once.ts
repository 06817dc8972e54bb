/**
 * What was listed as a whole a moment ago, where nobody can list a page of it alone: whoever asks for one page after the other
 * would have all of it listed for each.
 */

/** A listing serves for so many milliseconds. */
const keptMs = 5_000
/** All listings together have so many entries at most, which is some tens of megabytes. */
const mostEntries = 200_000

interface KeptListing<Entry> {
  readonly owner: number
  readonly listing: Promise<readonly Entry[]>
  readonly timer: NodeJS.Timeout
  /** How many there are, once that is known; the list itself counts as one. */
  entries: number
}

/** A list that a page is asked of: one of several things that its owner has, by a name. */
export interface PageOfList {
  readonly owner: number
  readonly name: string
  readonly page: number
}

/** Keeps such lists for some seconds. */
export class ListedOnce<Entry> {
  readonly #kept = new Map<string, KeptListing<Entry>>()

  /** All that `read` lists: as it is now for the first page, and for the others as it was when that was asked for. */
  list({ owner, name, page }: PageOfList, read: () => Promise<readonly Entry[]>): Promise<readonly Entry[]> {
    const key = `${owner} ${name}`
    const known = page > 1 ? this.#kept.get(key) : undefined
    return known?.listing ?? this.#keep(key, owner, read())
  }

  /** Forgets the lists of an owner of whom something has changed. */
  forget(owner: number): void {
    for (const [key, kept] of this.#kept) if (kept.owner === owner) this.#drop(key)
  }

  async #keep(key: string, owner: number, listing: Promise<readonly Entry[]>): Promise<readonly Entry[]> {
    this.#drop(key)
    const kept = { owner, listing, entries: 1, timer: setTimeout(() => this.#drop(key), keptMs).unref() }
    this.#kept.set(key, kept)
    try {
      const all = await listing
      kept.entries = 1 + all.length
      this.#makeRoom()
      return all
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#drop(key)
      throw error
    }
  }

  /** The oldest ones go first. */
  #makeRoom(): void {
    let entries = [...this.#kept.values()].reduce((sum, kept) => sum + kept.entries, 0)
    for (const [key, kept] of this.#kept) {
      if (entries <= mostEntries) return
      entries -= kept.entries
      this.#drop(key)
    }
  }

  #drop(key: string): void {
    clearTimeout(this.#kept.get(key)?.timer)
    this.#kept.delete(key)
  }
}
