/** SSH keys of a new server. */

import { language } from '../../words/words.ts'
import type { ServerPart } from '../servers/part.ts'

const none = { en: 'There are no SSH keys yet.', de: 'Es gibt noch keine SSH-Schlüssel.' }

export const serverPart: ServerPart = {
  place: 10,
  none: () => none[language],
  beginsWithAll: true,
}
