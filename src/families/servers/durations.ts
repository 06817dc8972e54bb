/** The time that actions of servers take on a public cloud. */
import type { DurationTable } from '../../kernel/actions/durations.ts'

export const durations: DurationTable = {
  create_server: [6, 14],
  start_server: [2, 6],
  stop_server: [2, 5],
  shutdown_server: [3, 12],
  reboot_server: [2, 6],
  reset_server: [2, 5],
  rebuild_server: [15, 35],
  change_server_type: [15, 60],
  create_image: [30, 180],
  enable_rescue: [1, 3],
}
