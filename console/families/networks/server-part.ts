/** Networks of a new server. */

import { language } from '../../words/words.ts'
import type { ServerPart } from '../servers/part.ts'

const label = { en: 'Private networks', de: 'Private Netzwerke' }
const none = { en: 'There are no private networks yet.', de: 'Es gibt noch keine privaten Netzwerke.' }

export const serverPart: ServerPart = {
  place: 40,
  section: 'networking',
  label: label[language],
  none: () => none[language],
}
