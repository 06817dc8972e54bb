/** What a check of the installation finds. docs/operating/doctor.md has all checks, with what each looks at and what to do. */
import type { Seen } from '../kernel/process/seen.ts'

/** Parts of an installation that are looked at, in the order in which they are shown; families add theirs under their names. */
export const checkIds = ['process', 'database', 'disk', 'clock', 'ports', 'keys', 'tls', 'hosts', 'mail'] as const
export type CheckId = (typeof checkIds)[number]

export interface Diagnosis extends Seen {
  /** One of those, or the name of a family. */
  readonly check: string
}
