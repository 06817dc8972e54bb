/** Warum Anfragen abgelehnt werden, nach Code. */
import type { refusals as English } from './refusals.en.ts'

export const refusals: typeof English = {
  volume_already_attached: 'Das Volume hängt schon an einem Server.',
}
