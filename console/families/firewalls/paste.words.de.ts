/** Wörter des Dialogs, der eingefügte Regeln nimmt. */

import { plural } from '../../words/format.ts'
import type { paste as English } from './paste.words.en.ts'

export const paste: typeof English = {
  title: 'Regeln oder Netze einfügen',
  text: 'Noch wird nichts angewendet: Das Eingefügte wird zu Regeln, die sich weiter ändern lassen.',
  label: 'Netze, JSON oder Terraform',
  hint: 'Wie 10.0.0.0/8, 192.0.2.7, eine Regel der API in JSON oder ein Block rule von Terraform.',
  networks: (count) => plural(count, { one: 'Eine Regel mit # Netz.', other: 'Eine Regel mit # Netzen.' }),
  nothing: 'Darin sind weder Regeln noch Netze.',
  misread: (count, all) =>
    `${count} von ${plural(all, { one: '# Regel', other: '# Regeln' })} ${count === 1 ? 'wurde' : 'wurden'} nicht verstanden.`,
  misreadMissing: {
    direction: (place) => `Regel ${place} hat keine Richtung.`,
    protocol: (place) => `Regel ${place} hat kein Protokoll.`,
  },
  misreadAs: {
    direction: (place, says) => `Die Richtung von Regel ${place} ist ${says}, weder in noch out.`,
    protocol: (place, says) => `Das Protokoll von Regel ${place} ist ${says}; Firewalls kennen es nicht.`,
    side: (place, says) => `Regel ${place} hat ${says}, was für die andere Richtung ist.`,
  },
  addRules: (count) => `${plural(count, { one: '# Regel', other: '# Regeln' })} hinzufügen`,
}
