/** A semaphore that is fair between keys: when all places are taken, the waiting keys take turns. */
import { Rotation } from './rotation.ts'

export interface FairQueueOptions {
  /** Number of places. */
  readonly atOnce: number
  /** Maximum number of places per key. */
  readonly perKey: number
  /** Number of places reserved for the installation itself, whose key is undefined; none by default. */
  readonly kept?: number
  /** The time that a caller waits, in milliseconds, and the error that it gets then; forever by default. */
  readonly patience?: { readonly ms: number; error(): Error }
}

interface Waiter {
  admit(): void
  readonly patience: NodeJS.Timeout | undefined
}

/** Callers with the same key are served in order; among waiting keys, the one served longest ago comes first. */
export class FairQueue<Key> {
  readonly #options: FairQueueOptions
  readonly #inside = new Map<Key, number>()
  /** A key that was served or that returned a place goes to the end. */
  readonly #waiting = new Rotation<Key, Waiter>()
  #total = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** Runs `work` once it has a place. Errors: that of `patience`; those of `work`. */
  async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    await this.enter(key)
    try {
      return await work()
    } finally {
      this.leave(key)
    }
  }

  /** Resolves once `key` has a place, which it must `leave` later. Errors: that of `patience`. */
  async enter(key: Key): Promise<void> {
    if (this.#hasPlace(key)) return this.#admit(key)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { patience } = this.#options
    const giveUp = () => {
      // All callers have the same patience, so the first one to lose it is the one that has waited longest.
      this.#waiting.takeOf(key)
      reject(patience!.error())
    }
    this.#waiting.add(key, { admit: resolve, patience: patience && setTimeout(giveUp, patience.ms).unref() })
    return promise
  }

  /** Returns a place; the next caller gets it at once. */
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

  /** The number of callers that wait for a place. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Tells whether somebody waits who would get a place that `key` returned now. */
  isAwaited(key: Key): boolean {
    if (this.#waiting.has(key)) return true
    const { atOnce, perKey } = this.#options
    if (this.#total < atOnce) return false
    for (const other of this.#waiting.parties()) if ((this.#inside.get(other) ?? 0) < perKey) return true
    return false
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

  /** The next key: the installation first, because everybody depends on its work. */
  #next(): { key: Key } | undefined {
    const own = undefined as Key
    if (this.#waiting.has(own) && this.#hasPlace(own)) return { key: own }
    for (const key of this.#waiting.parties()) if (this.#hasPlace(key)) return { key }
    return undefined
  }
}
