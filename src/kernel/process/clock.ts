/** The one source of calendar time. Leases and limits do not use it: they ask the database or a monotonic timer. */

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
}

/** The machine's clock, or one that starts at `startMs` and runs on from there (`--now`). */
export function runningClock(startMs?: number): Clock {
  const offset = startMs === undefined ? 0 : startMs - Date.now()
  return { now: () => Date.now() + offset }
}

/** RFC 3339 in UTC with whole seconds and `Z`: fixed width, so that text order is time order. */
export function timestamp(ms: number): string {
  const second = Math.floor(ms / 1_000)
  if (second !== latest.second) latest = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` }
  return latest.text
}

/** Many rows share a second. */
let latest = { second: Number.NaN, text: '' }
