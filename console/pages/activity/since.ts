/** The spans of time that activity can be limited to. */
import type { sinces } from './search.ts'

const spans = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 }

/** The time before which entries are left out, to the minute, so that a query keeps its key for a while. */
export function sinceTime(since: (typeof sinces)[number] | undefined): string | undefined {
  if (since === undefined || since === 'all') return undefined
  const ms = Math.floor((Date.now() - spans[since]) / 60_000) * 60_000
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
