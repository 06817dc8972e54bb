/** Wörter der Suche. */

import type { palette as English } from '../en/palette.ts'
import { plural } from '../format.ts'

export const palette: typeof English = {
  title: 'Suchen oder Befehl ausführen',
  placeholder: 'Eine Seite, ein Name oder was zu tun ist',
  pages: 'Seiten',
  resources: 'Ressourcen',
  projects: 'Projekte',
  settings: 'Einstellungen',
  actions: 'Aktionen',
  nothing: 'Nichts hier hat diesen Namen.',
  searching: 'Wird gesucht …',
  create: (type) => `${type} anlegen`,
  count: (count) => plural(count, { one: '# Treffer', other: '# Treffer' }),
}
