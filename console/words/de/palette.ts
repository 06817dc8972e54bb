/** Wörter der Suche. */
import { plural } from '../format.ts'
import type { Words } from '../words.ts'

export const palette: Words['palette'] = {
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
