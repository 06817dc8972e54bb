/** Warum Anfragen abgelehnt werden, nach Code. */
import type { refusals as English } from './refusals.en.ts'

export const refusals: typeof English = {
  incorrect_zone_mode: 'Die Zone wird von anderswo kopiert und lässt sich hier nicht ändern.',
}
