/** Warum Anfragen abgelehnt werden, nach Code. */
import type { refusals as English } from './refusals.en.ts'

export const refusals: typeof English = {
  placement_group_member_limit_reached: 'Die Placement Group ist voll.',
}
