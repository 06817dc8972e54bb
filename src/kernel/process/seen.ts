/** What somebody looked at and found, for operators: a verdict, what was seen, and what to do. */

/** `unknown` is for what could not be looked at, which is no failure by itself. */
export const verdicts = ['ok', 'warning', 'failure', 'unknown'] as const
export type Verdict = (typeof verdicts)[number]

/** One finding. */
export interface Seen {
  /** The thing that was looked at, such as `free space of data`. */
  readonly subject: string
  readonly verdict: Verdict
  /** What was seen, in one line. */
  readonly seen: string
  /** What to do, in one line; null where nothing is to be done. */
  readonly advice: string | null
}

export const fine = (subject: string, seen: string): Seen => ({ subject, verdict: 'ok', seen, advice: null })

const withAdvice =
  (verdict: Verdict) =>
  (subject: string, seen: string, advice: string | null): Seen => ({ subject, verdict, seen, advice })

export const warning = withAdvice('warning')
export const failure = withAdvice('failure')
export const unknown = withAdvice('unknown')

/** The reason of an error in one line, with that of its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.message || String((error as NodeJS.ErrnoException).code ?? error.name)
  return error.cause instanceof Error ? `${own}: ${reasonOf(error.cause)}` : own
}

/** `1 zone`, `2 zones`. */
export const counted = (count: number, one: string, some = `${one}s`) => `${count} ${count === 1 ? one : some}`

const dayMs = 86_400_000
/** Whatever ends earlier needs somebody. */
export const soonMs = 14 * dayMs

/** Judges a certificate by its end; times are milliseconds since the epoch. */
export function goodUntil(subject: string, until: number, now: number, advice: string): Seen {
  const days = counted(Math.floor(Math.abs(until - now) / dayMs), 'day')
  if (until <= now) return failure(subject, `ended ${days} ago`, advice)
  return until - now < soonMs ? warning(subject, `ends in ${days}`, advice) : fine(subject, `ends in ${days}`)
}
