/** Changes of a box go one after the other, in this process and in all others. */
import { setTimeout as delay } from 'node:timers/promises'
import { lockFile } from '../../../kernel/process/file-lock.ts'

/** Somebody looks again at a lock that another holds after so many milliseconds: twice as many each time, up to a limit. */
const firstWaitMs = 2
const longestWaitMs = 200

export class Exclusive<Key> {
  readonly #pathOf: (key: Key) => string
  /** The end of the last one that was asked for, by its key. */
  readonly #last = new Map<Key, Promise<unknown>>()
  #isClosed = false

  /** `pathOf` names the file whose lock keeps other processes out. */
  constructor(pathOf: (key: Key) => string) {
    this.#pathOf = pathOf
  }

  /** Does `work` when everybody who asked before has ended. */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const mine = (async () => {
      await before
      if (this.#isClosed) throw new Error('nothing begins any more')
      using _lock = await this.#lock(key)
      return await work()
    })()
    const ended = mine.catch(() => undefined)
    this.#last.set(key, ended)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key)
    }
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }

  /** Nothing begins any more, and nobody waits for another process. */
  close(): void {
    this.#isClosed = true
  }

  async #lock(key: Key): Promise<Disposable> {
    const path = this.#pathOf(key)
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      const lock = lockFile(path, 0)
      if (lock) return lock
      if (this.#isClosed) throw new Error(`${path} is still locked by another process`)
      await delay(waitMs)
    }
  }
}
