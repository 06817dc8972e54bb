/** Moments as callers write them (spec: Common types). */
import { timestamp } from '../process/clock.ts'

/** The last moment that a timestamp can name. */
export const latestMs = Date.parse('9999-12-31T23:59:59Z')

/**
 * Reads a moment such as `2030-01-31T00:00:00Z`, in milliseconds since the epoch; undefined for what is none, which a date
 * that the calendar does not have is too.
 */
export function parseInstant(text: string): number | undefined {
  const [, date = '', time = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? []
  // A date such as February 30 would be read as another day.
  const read = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(read) || timestamp(read) !== `${date}T${time}Z`) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}
