/** The time that actions of volumes take on a public cloud. */
import type { DurationTable } from '../../kernel/actions/durations.ts'

export const durations: DurationTable = {
  create_volume: [2, 6],
  attach_volume: [3, 8],
  detach_volume: [2, 6],
  resize_volume: [2, 8],
}
