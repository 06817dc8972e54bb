/** The time that actions of Storage Boxes take on a public cloud. */
import type { DurationTable } from '../../kernel/actions/durations.ts'

export const durations: DurationTable = {
  create: [10, 60],
  create_snapshot: [3, 15],
  delete_snapshot: [2, 8],
  rollback_snapshot: [5, 30],
}
