/** Wörter der Seite der Placement Groups. */
import { plural } from '../format.ts'
import type { Words } from '../words.ts'

export const placementGroups: Words['placementGroups'] = {
  title: 'Placement Groups',
  list: 'Placement Groups auflisten',
  create: 'Placement Group anlegen',
  types: { spread: 'Verteilt' },
  typeText: 'Ihre Server laufen auf verschiedenen Hosts, sodass ein defekter Host höchstens einen von ihnen trifft.',
  places: 'Plätze',
  placesOf: (name) => `Belegte Plätze in ${name}`,
  taken: (taken, all) => `${taken} von ${all}`,
  servers: 'Server',
  none: 'Noch keine Placement Groups',
  noneText:
    'Server einer Placement Group laufen auf verschiedenen Hosts, sodass ein defekter Host höchstens einen von ihnen trifft.',
  noneCommand: 'hcloud placement-group create --name web --type spread',
  deleteText: (servers) =>
    servers === 0
      ? 'Sie hat keine Server.'
      : `${plural(servers, { one: '# Server bleibt und läuft', other: '# Server bleiben und laufen' })} danach auf beliebigen Hosts.`,
  deleteAct: 'Placement Group löschen',
}
