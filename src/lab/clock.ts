/** The clock of a lab: it runs, stands still, or jumps to what happens next whenever somebody waits for it. */
import { latestMs } from '../kernel/contract/instants.ts'
import type { Clock } from '../kernel/process/clock.ts'

export const clockModes = ['running', 'frozen', 'skip'] as const
export type ClockMode = (typeof clockModes)[number]

/** A clock that never goes back, nor past the year 9999. Times are milliseconds since 1970-01-01T00:00:00Z. */
export class LabClock implements Clock {
  #mode: ClockMode
  /** The time at the moment `#since` of the machine's monotonic clock; while it stands still, the time. */
  #base: number
  #since = performance.now()

  constructor(startMs = Date.now(), mode: ClockMode = 'running') {
    this.#base = startMs
    this.#mode = mode
  }

  get mode(): ClockMode {
    return this.#mode
  }

  /** It may be handed on without the clock. */
  readonly now = (): number =>
    this.#mode === 'running' ? Math.min(latestMs, this.#base + Math.floor(performance.now() - this.#since)) : this.#base

  /** Runs on, or stands still, from the time that it shows. */
  switch(mode: ClockMode): void {
    this.#start(this.now())
    this.#mode = mode
  }

  /** Shows a time from now on, unless it has passed it. */
  reach(ms: number): void {
    this.#start(Math.max(ms, this.now()))
  }

  #start(ms: number): void {
    this.#base = ms
    this.#since = performance.now()
  }
}
