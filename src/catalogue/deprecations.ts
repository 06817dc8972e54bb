/** Dates of the catalogue: its entries are deprecated first, and can later no longer be ordered. */
import type { ClockEvent } from '../kernel/process/clock.ts'
import type { Deprecation } from './catalogue.ts'

interface Named {
  readonly id: number
  readonly name: string
  readonly deprecation: Deprecation | null
}

/** An entry of the catalogue that may be deprecated, as a whole or in some locations. */
export interface Entry extends Named {
  readonly locations?: readonly Named[]
}

/** The next dates of entries of a type, in order, at most `limit`. */
export function deprecationsIn(
  type: string,
  entries: readonly Entry[],
  afterMs: number,
  limit: number,
): readonly ClockEvent[] {
  return entries
    .flatMap(({ id, deprecation, locations = [] }) => {
      const all = [deprecation, ...locations.map((location) => location.deprecation)]
      return all.flatMap((one) => datesOf({ projectId: null, type, id }, one))
    })
    .filter(({ atMs }) => atMs > afterMs)
    .sort((a, b) => a.atMs - b.atMs)
    .slice(0, limit)
}

function datesOf(subject: ClockEvent['subject'] & object, deprecation: Deprecation | null): ClockEvent[] {
  if (!deprecation) return []
  return [
    { atMs: Date.parse(deprecation.announced), event: 'deprecation_announced', subject },
    { atMs: Date.parse(deprecation.unavailable_after), event: 'deprecation_ends', subject },
  ]
}
