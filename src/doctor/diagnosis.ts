/** The outcome of a check of the installation. docs/doctor.md has all checks, with what each looks at and what to do. */

/** The parts of an installation that are looked at, in the order in which they are shown. */
export const checkIds = [
  'process',
  'database',
  'disk',
  'clock',
  'ports',
  'keys',
  'certificates',
  'delegation',
  'hosts',
  'mail',
] as const
export type CheckId = (typeof checkIds)[number]

/** `unknown` is for what could not be looked at, which is no failure by itself. */
export const verdicts = ['ok', 'warning', 'failure', 'unknown'] as const
export type Verdict = (typeof verdicts)[number]

export interface Diagnosis {
  readonly check: CheckId
  /** The thing that was looked at, such as `free space of data`. */
  readonly subject: string
  readonly verdict: Verdict
  /** The observation, in one line. */
  readonly seen: string
  /** The advice, in one line; null where nothing is to be done. */
  readonly advice: string | null
}

/** A finding before it is known of which check it is. */
export type Seen = Omit<Diagnosis, 'check'>

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
