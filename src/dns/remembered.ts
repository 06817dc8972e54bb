/**
 * A cache of bounded size in two generations. A full generation replaces the older one: what was used meanwhile has moved
 * to the new one, and the rest is forgotten.
 */
export class Remembered<Key, Value> {
  readonly #most: number
  #recent = new Map<Key, Value>()
  #older = new Map<Key, Value>()

  /** `most` is the size of a generation. */
  constructor(most: number) {
    this.#most = most
  }

  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    return older === undefined ? undefined : this.set(key, older)
  }

  set(key: Key, value: Value): Value {
    if (this.#recent.size >= this.#most) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
    return value
  }

  delete(key: Key): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }
}
