/** Counts of what was seen, by a key; the first one with a key describes all. */
export class Tally<T> {
  readonly #counts = new Map<string, { readonly item: T; count: number }>()

  get size(): number {
    return this.#counts.size
  }

  add(key: string, describe: () => T, count = 1): void {
    const known = this.#counts.get(key)
    if (known) known.count += count
    else this.#counts.set(key, { item: describe(), count })
  }

  /** Lists the items in the order of their keys. */
  list(): (T & { readonly count: number })[] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { item, count }]) => ({ ...item, count }))
  }

  /** Adds up what several have counted. */
  static joined<T>(tallies: Iterable<Tally<T>>): Tally<T> {
    const all = new Tally<T>()
    for (const tally of tallies) for (const [key, { item, count }] of tally.#counts) all.add(key, () => item, count)
    return all
  }
}
