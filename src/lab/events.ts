/** The dated changes of the API as events of the clock. */
import { calendar } from '../calendar.ts'
import type { EventSource } from '../kernel/process/clock.ts'

export const apiChanges: EventSource = async (afterMs, limit) =>
  calendar
    .filter(({ fromMs }) => fromMs > afterMs)
    .slice(0, limit)
    .map(({ name, fromMs }) => ({ atMs: fromMs, event: `api_change:${name}` }))
