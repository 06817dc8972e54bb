/** Work of which only so much runs at once: what is beyond that waits, and those on whose behalf it waits take turns. */

export interface FairQueueOptions {
  /** Most that runs at once, in all. */
  readonly atOnce: number
  /** Most that runs at once for one key. */
  readonly perKey: number
}

interface Lane {
  running: number
  readonly waiting: (() => void)[]
}

/** Work of one key starts in its order; keys that wait start one each before any of them starts another. */
export class FairQueue<Key> {
  readonly #options: FairQueueOptions
  /** Keys that have something running or waiting, the one whose turn was longest ago first. */
  readonly #lanes = new Map<Key, Lane>()
  #running = 0

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  /** Runs `work` when it is its turn. */
  async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const lane = this.#laneOf(key)
    await new Promise<void>((start) => {
      lane.waiting.push(start)
      this.#startNext()
    })
    try {
      return await work()
    } finally {
      this.#running--
      lane.running--
      // Others that came while it ran have not had a turn for longer.
      this.#putLast(key, lane)
      this.#startNext()
    }
  }

  #laneOf(key: Key): Lane {
    const known = this.#lanes.get(key)
    if (known) return known
    const lane: Lane = { running: 0, waiting: [] }
    this.#lanes.set(key, lane)
    return lane
  }

  #startNext(): void {
    const { atOnce, perKey } = this.#options
    if (this.#running >= atOnce) return
    for (const [key, lane] of this.#lanes) {
      if (lane.running >= perKey || lane.waiting.length === 0) continue
      this.#running++
      lane.running++
      this.#putLast(key, lane)
      lane.waiting.shift()!()
      return
    }
  }

  #putLast(key: Key, lane: Lane): void {
    this.#lanes.delete(key)
    if (lane.running > 0 || lane.waiting.length > 0) this.#lanes.set(key, lane)
  }
}
