/** Firewalls of a new server. */

import { language } from '../../words/words.ts'
import type { ServerPart } from '../servers/part.ts'

const none = { en: 'There are no firewalls yet.', de: 'Es gibt noch keine Firewalls.' }

export const serverPart: ServerPart = {
  place: 30,
  none: () => none[language],
  itemOf: (firewall) => ({ firewall }),
}
