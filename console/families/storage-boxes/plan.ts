/** Snapshot plans in words. Their hours are UTC, as the API has them; what people read is their own time beside it. */
import { nextOf } from '../../../src/families/storage-boxes/snapshots/domain.ts'
import { date, locale } from '../../words/format.ts'
import type { Box } from './box.ts'
import { snapshots as w } from './snapshots.words.ts'

export type Plan = NonNullable<Box['snapshot_plan']>

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** The hour and minute of a plan in UTC: `03:30`. */
export const timeText = ({ hour, minute }: Pick<Plan, 'hour' | 'minute'>) => `${twoDigits(hour)}:${twoDigits(minute)}`

/** The name of a day of the week, from 1 for Monday. */
export function weekdayText(day: number): string {
  // The first of January 2024 was a Monday.
  const at = new Date(Date.UTC(2024, 0, day))
  return at.toLocaleDateString(locale, { weekday: 'long', timeZone: 'UTC' })
}

/** The days of a plan. With a day of the week and one of the month they are those that are both. */
function daysText({ day_of_week: weekday, day_of_month: day }: Plan): string {
  if (day === null) return weekday === null ? w.daily : w.onWeekday(weekdayText(weekday))
  return weekday === null ? w.onDay(day) : w.onDayIf(day, weekdayText(weekday))
}

/** `Every Monday at 03:30 UTC, 7 at most`. */
export function planText(plan: Plan): string {
  return w.planText(daysText(plan), timeText(plan), plan.max_snapshots)
}

/** Says when a plan makes its next snapshot, in the time zone of the reader. */
export function nextText(plan: Plan): string {
  const { hour, minute, max_snapshots: maxSnapshots, day_of_week: dayOfWeek, day_of_month: dayOfMonth } = plan
  const next = nextOf({ hour, minute, maxSnapshots, dayOfWeek, dayOfMonth }, Date.now())
  return date(next, { dateStyle: 'full', timeStyle: 'short' })
}
