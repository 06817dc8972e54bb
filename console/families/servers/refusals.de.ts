/** Warum Anfragen abgelehnt werden, nach Code. */
import type { refusals as English } from './refusals.en.ts'

export const refusals: typeof English = {
  invalid_server_type: 'Der Server kann diesen Typ nicht haben. Vielleicht ist seine Platte zu groß dafür.',
  server_not_stopped: 'Dafür muss der Server aus sein. Zuerst ausschalten.',
}
