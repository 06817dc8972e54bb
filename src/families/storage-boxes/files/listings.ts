/** Directories that were listed a moment ago, for whoever asks for one page after the other: each would list all of it again. */
import type { BoxFiles, FilePlace, NamedFile } from '../driver.ts'

/** A listing serves for so many milliseconds. */
const keptMs = 5_000
/** All listings together have so many entries at most, which is some tens of megabytes. */
const mostEntries = 200_000

interface KeptListing {
  readonly box: number
  readonly listing: Promise<readonly NamedFile[]>
  readonly timer: NodeJS.Timeout
  /** How many there are, once that is known. */
  entries: number
}

export class Listings {
  readonly #kept = new Map<string, KeptListing>()

  /** A directory by name: as it is now for the first page, and for the others as it was when that was asked for. */
  list(files: BoxFiles, place: FilePlace, page: number): Promise<readonly NamedFile[]> {
    const key = JSON.stringify([place.box, place.snapshot ?? null, place.path])
    const known = page > 1 ? this.#kept.get(key) : undefined
    return known?.listing ?? this.#keep(key, place.box, files.list(place))
  }

  /** Forgets what was listed of a box in which something has changed. */
  forget(box: number): void {
    for (const [key, kept] of this.#kept) if (kept.box === box) this.#drop(key)
  }

  async #keep(key: string, box: number, listing: KeptListing['listing']): Promise<readonly NamedFile[]> {
    this.#drop(key)
    const kept = { box, listing, entries: 0, timer: setTimeout(() => this.#drop(key), keptMs).unref() }
    this.#kept.set(key, kept)
    try {
      const all = await listing
      kept.entries = all.length
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
