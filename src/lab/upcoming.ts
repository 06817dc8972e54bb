/** What comes next of a source of events, which is asked again only when its answer may be another one. */
import type { Watch, Watched } from '../kernel/data/watching.ts'
import type { ClockEvent, EventSource } from '../kernel/process/clock.ts'

/** So many events are asked for at first, and so many times more when none of them is left. */
const fewest = 2
const growth = 8
const most = 4_096

/** Reads by `read`, and again once the result may be different. Without `watch` that is always. */
export function kept<T>(watch: Watch | undefined, read: () => Promise<T>): () => Promise<T> {
  let known: Watched<T> | undefined
  return async () => {
    if (!known?.isCurrent()) known = await watched(watch, read)
    return known.value
  }
}

async function watched<T>(watch: Watch | undefined, read: () => Promise<T>): Promise<Watched<T>> {
  return watch ? watch(read) : { value: await read(), isCurrent: () => false }
}

/** Whoever asks goes on in time: an event that has been passed is not given again. */
export class Upcoming {
  readonly #source: EventSource
  readonly #watch: Watch | undefined
  #known: Watched<readonly ClockEvent[]> | undefined
  /** The time after which the known events are, and how many were asked for. */
  #afterMs = 0
  #limit = fewest
  /** The place of the next one among them. */
  #next = 0

  constructor(source: EventSource, watch: Watch | undefined) {
    this.#source = source
    this.#watch = watch
  }

  /** The first event after a time. */
  async first(afterMs: number): Promise<ClockEvent | undefined> {
    const events = await this.#after(afterMs)
    return events[this.#next]
  }

  /** All events after a time that are no later than another one, in order. */
  async within(afterMs: number, untilMs: number): Promise<readonly ClockEvent[]> {
    for (let events = await this.#after(afterMs); ; events = await this.#ask(afterMs, this.#limit * growth)) {
      let end = this.#next
      while (end < events.length && events[end]!.atMs <= untilMs) end++
      if (end < events.length || events.length < this.#limit) return events.slice(this.#next, end)
    }
  }

  /** The known events, of which there is one after the time unless there is none at all. */
  async #after(afterMs: number): Promise<readonly ClockEvent[]> {
    const known = this.#known
    if (!known || afterMs < this.#afterMs || !known.isCurrent()) return this.#ask(afterMs, fewest)
    const events = known.value
    while (this.#next < events.length && events[this.#next]!.atMs <= afterMs) this.#next++
    if (this.#next < events.length || events.length < this.#limit) return events
    return this.#ask(afterMs, Math.min(most, this.#limit * growth))
  }

  async #ask(afterMs: number, limit: number): Promise<readonly ClockEvent[]> {
    this.#known = await watched(this.#watch, () => this.#source(afterMs, limit))
    this.#afterMs = afterMs
    this.#limit = limit
    this.#next = 0
    return this.#known.value
  }
}
