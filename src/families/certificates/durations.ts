/** The time that actions of certificates take on a public cloud. */
import type { DurationTable } from '../../kernel/actions/durations.ts'

export const durations: DurationTable = {
  issue_certificate: [15, 60],
}
