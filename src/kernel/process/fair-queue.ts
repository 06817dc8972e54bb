/** Places of which there are only so many: who finds none waits, and those on whose behalf they wait take turns. */
import { Rotation } from './rotation.ts'

export interface FairQueueOptions {
  /** How many places there are. */
  readonly atOnce: number
  /** How many of them one key may have. */
  readonly perKey: number
  /** How many are left to the installation itself, whose key is undefined; none unless told otherwise. */
  readonly kept?: number
  /** How long one waits and what it hears then; for ever unless told otherwise. */
  readonly patience?: { readonly ms: number; error(): Error }
}

interface Waiter {
  admit(): void
  readonly patience: NodeJS.Timeout | undefined
}

/** Those of one key are served in their order; of the keys that wait, the one whose turn was longest ago comes first. */
export class FairQueue<Key> {
  readonly #options: FairQueueOptions
  readonly #inside = new Map<Key, number>()
  /** A key that was served, or that gave a place back, goes to the end. */
  readonly #waiting = new Rotation<Key, Waiter>()
  #total = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** Runs `work` when it has a place. Errors: what `patience` says; those of `work`. */
  async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    await this.enter(key)
    try {
      return await work()
    } finally {
      this.leave(key)
    }
  }

  /** Resolves once `key` has a place, which it then has to `leave`. Errors: what `patience` says. */
  async enter(key: Key): Promise<void> {
    if (this.#hasPlace(key)) return this.#admit(key)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { patience } = this.#options
    const giveUp = () => {
      // All have the same patience, so that the first to lose it is the one that has waited longest.
      this.#waiting.takeOf(key)
      reject(patience!.error())
    }
    this.#waiting.add(key, { admit: resolve, patience: patience && setTimeout(giveUp, patience.ms).unref() })
    return promise
  }

  /** Gives a place back; whoever is next has it at once. */
  leave(key: Key): void {
    const left = this.#inside.get(key)! - 1
    if (left > 0) this.#inside.set(key, left)
    else this.#inside.delete(key)
    this.#total--
    this.#waiting.putLast(key)
    for (let next = this.#next(); next; next = this.#next()) {
      const { admit, patience } = this.#waiting.takeOf(next.key)
      clearTimeout(patience)
      this.#admit(next.key)
      admit()
    }
  }

  #hasPlace(key: Key): boolean {
    const { atOnce, perKey, kept = 0 } = this.#options
    if (this.#total >= atOnce) return false
    if (key === undefined) return true
    const ofOthers = this.#inside.get(undefined as Key) ?? 0
    return this.#total - ofOthers < atOnce - kept && (this.#inside.get(key) ?? 0) < perKey
  }

  #admit(key: Key): void {
    this.#inside.set(key, (this.#inside.get(key) ?? 0) + 1)
    this.#total++
  }

  /** Which key comes next: the installation first, because all depend on what it does. */
  #next(): { key: Key } | undefined {
    const own = undefined as Key
    if (this.#waiting.has(own) && this.#hasPlace(own)) return { key: own }
    for (const key of this.#waiting.parties()) if (this.#hasPlace(key)) return { key }
    return undefined
  }
}
