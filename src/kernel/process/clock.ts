/** The only source of calendar time. Leases and limits use the database's clock or a monotonic timer instead. */
import type { ProjectId } from '../scope.ts'

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
}

/** Something that happens by itself at a time of the clock. */
export interface ClockEvent {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly atMs: number
  /** The name of the event, such as `backup` or `rescue_ends`. */
  readonly event: string
  /** The resource that it happens to; undefined if it concerns everybody. */
  readonly subject?: { readonly projectId: ProjectId | null; readonly type: string; readonly id: number }
}

/**
 * Gives the next events of a kind after a time, in order, at most `limit` of them. They depend on the database and on what
 * never changes, so that an answer holds until what was read changes.
 */
export type EventSource = (afterMs: number, limit: number) => Promise<readonly ClockEvent[]>

/** The machine's clock, or one that starts at `startMs` and runs on from there (`--now`). */
export function runningClock(startMs?: number): Clock {
  const offset = startMs === undefined ? 0 : startMs - Date.now()
  return { now: () => Date.now() + offset }
}

/** RFC 3339 in UTC with whole seconds and `Z`. The fixed width makes text order time order. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1_000)
  if (second !== latest.second) latest = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` }
  return latest.text
}

/** Cache of the last timestamp, because many rows share a second. */
let latest = { second: Number.NaN, text: '' }
