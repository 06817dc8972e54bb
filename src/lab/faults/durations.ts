/** Durations in rules. */
import { parseDuration } from '../duration.ts'

/** The longest duration that a rule can name, in milliseconds: timers of Node.js count no further. */
export const longestMs = 24 * 86_400_000

/** The milliseconds of a duration that was checked before. */
export function durationOf(text: string): number {
  return parseDuration(text)!
}

/** Says why a text is no duration of a rule; undefined for one that is. */
export function durationProblem(text: string): string | undefined {
  const ms = parseDuration(text)
  return ms === undefined || ms > longestMs
    ? 'must be a duration of at most 24 days, such as 500ms, 30s or 1h30m'
    : undefined
}
