/** Wörter der Suche. */
import { plural } from '../format.ts'
import type { Words } from '../words.ts'

export const palette: Words['palette'] = {
  title: 'Suchen oder Befehl ausführen',
  placeholder: 'Eine Seite, ein Name oder was zu tun ist',
  pages: 'Seiten',
  resources: 'Ressourcen',
  actions: 'Aktionen',
  nothing: 'Nichts hat diesen Namen.',
  count: (count) => plural(count, { one: '# Treffer', other: '# Treffer' }),
}
