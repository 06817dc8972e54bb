/** Wörter der Seite aller Projekte. */

import type { projects as English } from '../en/projects.ts'
import { plural } from '../format.ts'

export const projects: typeof English = {
  title: 'Projekte',
  filter: 'Projekte filtern',
  filterHint: 'Name',
  none: 'Noch keine Projekte',
  noneText: 'Ein Projekt hat Server, Netzwerke und alles andere, und die Menschen, die sie teilen.',
  noneOwn: 'Du bist in keinem Projekt',
  noneOwnText: 'Wem ein Projekt gehört oder wer es verwaltet, kann dich einladen.',
  noneCommand: 'wolke project create NAME',
  counts: (servers) => plural(servers, { one: '# Server', other: '# Server' }),
  others: (count) => plural(count, { one: '# anderes', other: '# andere' }),
  running: (count) => plural(count, { one: '# Aktion läuft', other: '# Aktionen laufen' }),
  failed: (count) => plural(count, { one: '# Ding ist fehlgeschlagen', other: '# Dinge sind fehlgeschlagen' }),
  ending: (count) => plural(count, { one: '# Zertifikat endet bald', other: '# Zertifikate enden bald' }),
  quiet: 'Nichts läuft, nichts endet bald',
  about: (price) => `etwa ${price}`,
  created: (name) => `Projekt ${name}`,
  pin: (name) => `${name} anheften`,
  create: 'Projekt anlegen',
  createText: 'Es gehört dann dir.',
  name: 'Name',
  ownerEmail: 'Mail an',
  ownerEmailHint: 'Bekommt Mail zu Zertifikaten und was sonst jemanden braucht. Leer heißt niemand.',
  allOfInstallation: 'Alle Projekte der Installation',
}
