/** The only source of calendar time. Leases and limits use the database's clock or a monotonic timer instead. */

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
}

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
