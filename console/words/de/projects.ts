/** Wörter der Seite aller Projekte. */
import { plural } from '../format.ts'
import type { Words } from '../words.ts'

export const projects: Words['projects'] = {
  title: 'Projekte',
  filter: 'Projekte filtern',
  none: 'Noch keine Projekte',
  noneText: 'Ein Projekt hat Server, Netzwerke und alles andere, und die Menschen, die sie teilen.',
  noneCommand: 'wolke project create NAME',
  counts: (servers) => plural(servers, { one: '# Server', other: '# Server' }),
  created: (name) => `Projekt ${name}`,
}
