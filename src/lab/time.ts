/**
 * Time in a lab. What has a date is carried out in the order of the dates, however far the clock is moved at once: the
 * clock shows the time of each event while its work is done, and what that starts is done before the next one.
 */
import type { Watch } from '../kernel/data/watching.ts'
import { ApiError } from '../kernel/errors.ts'
import { type ClockEvent, type EventSource, timestamp } from '../kernel/process/clock.ts'
import type { Timed } from '../kernel/process/jobs.ts'
import { firstEvents } from '../kernel/resource/clock-events.ts'
import type { ClockMode, LabClock } from './clock.ts'
import { Upcoming } from './upcoming.ts'

export interface TimeParts {
  readonly clock: LabClock
  /** Missing where others write to the database, too; time cannot be moved there. */
  readonly watch: Watch | undefined
  readonly timed: readonly Timed[]
  /** These events need no work: something is read differently from then on. */
  readonly passive: readonly EventSource[]
  /** Lets actions go on and mail be sent as far as the present time allows. */
  drain(): Promise<void>
  /** Does the same with what was announced since then, without a look at everything. */
  settle(): Promise<void>
  /** Does all background jobs once. */
  tidy(): Promise<void>
  /** The next times at which running actions go on. */
  readonly pauses: EventSource
  /** The next times at which actions are let go that faults hold. The database knows nothing of them. */
  readonly ends: EventSource
}

export class Time {
  readonly #parts: TimeParts
  /** Everything until then has been done, but for the work that has to be tried again. */
  #doneUntil: number
  readonly #left = new Set<Timed>()
  /** The work for which the clock stops. */
  readonly #stops: readonly Planned[]
  /** The work that is done once the clock has been moved. */
  readonly #tidying: readonly Planned[]
  #moving: Promise<unknown> = Promise.resolve()
  #isStopping = false

  constructor(parts: TimeParts) {
    this.#parts = parts
    this.#doneUntil = parts.clock.now()
    const planned = parts.timed.map((work) => ({ work, upcoming: new Upcoming(work.due, parts.watch) }))
    const letGo = { due: parts.ends, run: () => this.#parts.drain() }
    this.#stops = [
      ...planned.filter(({ work }) => !work.isTidying),
      { work: letGo, upcoming: new Upcoming(parts.ends, undefined) },
    ]
    this.#tidying = planned.filter(({ work }) => work.isTidying)
  }

  get now(): number {
    return this.#parts.clock.now()
  }

  get mode(): ClockMode {
    return this.#parts.clock.mode
  }

  /** Ends a move in progress at the event where it is, and waits for that. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#moving
  }

  /** Does what is due already, without moving the clock. */
  async settle(): Promise<void> {
    await this.#next(() => this.#parts.drain())
  }

  /** Runs, or stands still, from now on. */
  async switch(mode: ClockMode): Promise<void> {
    await this.#next(async () => this.#parts.clock.switch(mode))
  }

  /** The next events of all kinds, in order. */
  async events(limit: number): Promise<ClockEvent[]> {
    const { timed, ends, passive, clock } = this.#parts
    return this.#first([...timed.map(({ due }) => due), ends, ...passive], clock.now(), limit)
  }

  /** Moves the clock to a time, and does everything until then. A time that has passed changes nothing. */
  advance(toMs: number): Promise<void> {
    return this.#next(() => this.#moveTo(toMs))
  }

  /**
   * Lets a clock that skips jump from event to event until something is over, or until no action waits for a time any
   * more. Others do nothing.
   */
  async skip(isOver: () => Promise<boolean>): Promise<void> {
    const { clock, pauses, ends, drain } = this.#parts
    if (clock.mode !== 'skip') return
    await this.#next(async () => {
      for (;;) {
        await drain()
        if (this.#isStopping || clock.mode !== 'skip' || (await isOver())) return
        const [pause] = await this.#first([pauses, ends], clock.now(), 1)
        if (!pause) return
        await this.#pass(pause.atMs)
      }
    })
  }

  async #moveTo(toMs: number): Promise<void> {
    await this.#catchUp()
    await this.#pass(toMs)
    await this.#catchUp()
  }

  /** Does what is due already: a clock that runs passes events by itself, and jobs are late by up to a minute. */
  async #catchUp(): Promise<void> {
    const { clock, drain, tidy } = this.#parts
    const now = clock.now()
    await tidy()
    await drain()
    this.#doneUntil = Math.max(now, this.#doneUntil)
  }

  /** Lets all events until a time happen. */
  async #pass(toMs: number): Promise<void> {
    const { clock } = this.#parts
    const fromMs = this.#doneUntil
    for (;;) {
      if (this.#isStopping) throw this.#ended()
      const atMs = await this.#nextStop()
      if (atMs > toMs) break
      clock.reach(atMs)
      await this.#carryOut(atMs)
    }
    clock.reach(toMs)
    await this.#tidyUp(fromMs, toMs)
    this.#doneUntil = Math.max(toMs, this.#doneUntil)
  }

  /** The time of the next event for which there is something to do, infinite when there is none. */
  async #nextStop(): Promise<number> {
    let next = Number.POSITIVE_INFINITY
    for (const { upcoming } of this.#stops) {
      const first = await upcoming.first(this.#doneUntil)
      if (first && first.atMs < next) next = first.atMs
    }
    return next
  }

  /** Does what is due at a time, and what that starts. */
  async #carryOut(atMs: number): Promise<void> {
    for (const { work, upcoming } of this.#stops) {
      const due = await upcoming.within(this.#doneUntil, atMs)
      if (due.length === 0 && !this.#left.has(work)) continue
      if ((await work.run(due)) === 'again') this.#left.add(work)
      else this.#left.delete(work)
    }
    this.#doneUntil = atMs
    await this.#parts.settle()
  }

  /** Does at once what nobody can tell the time of. */
  async #tidyUp(fromMs: number, toMs: number): Promise<void> {
    for (const { work, upcoming } of this.#tidying) {
      const first = await upcoming.first(fromMs)
      if (!first || first.atMs > toMs) continue
      while (!this.#isStopping && (await work.run([first])) === 'again');
    }
  }

  #ended(): ApiError {
    const now = timestamp(this.#parts.clock.now())
    return new ApiError('unavailable', `the cloud ended while its time was moved: it had come to ${now}`)
  }

  async #first(sources: readonly EventSource[], afterMs: number, limit: number): Promise<ClockEvent[]> {
    const found: (readonly ClockEvent[])[] = []
    for (const source of sources) found.push(await source(afterMs, limit))
    return firstEvents(found, limit)
  }

  /** Moves one after the other. */
  #next<T>(move: () => Promise<T>): Promise<T> {
    const moved = this.#moving.then(() => {
      if (this.#isStopping) throw this.#ended()
      return move()
    })
    this.#moving = moved.catch(() => undefined)
    return moved
  }
}

/** Work with what comes next of its source. */
interface Planned {
  readonly work: Timed
  readonly upcoming: Upcoming
}
