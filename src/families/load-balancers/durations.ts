/** The time that actions of Load Balancers take on a public cloud. */
import type { DurationTable } from '../../kernel/actions/durations.ts'

export const durations: DurationTable = {
  create_load_balancer: [4, 12],
}
