/** Warum Anfragen abgelehnt werden, nach Code. */
import type { refusals as English } from './refusals.en.ts'

export const refusals: typeof English = {
  floating_ip_assigned: 'Die Floating IP ist zugewiesen. Zuerst lösen.',
}
