/** Wörter der Seite der Placement Groups. */

import { plural } from '../../words/format.ts'
import type { placementGroups as English } from './words.en.ts'

export const placementGroups: typeof English = {
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
  group: 'Placement Group',
  server: 'Server',
  choose: 'Auswählen',
  apart: 'Er ist in keiner Placement Group, kann also einen Host mit jedem anderen Server teilen.',
  join: 'Server aufnehmen',
  joinTitle: (group) => `Server in ${group} aufnehmen`,
  joinOwn: 'In eine Placement Group aufnehmen',
  joinOwnTitle: (server) => `${server} in eine Placement Group aufnehmen`,
  joinText: 'Er startet danach auf einem Host, auf dem keiner der anderen läuft.',
  joinAct: 'Aufnehmen und starten',
  mustBeOff: 'Zuerst ausschalten.',
  mustBeOffOf: (name) => `${name}: zuerst ausschalten`,
  noneFree: 'Alle Server sind in einer Placement Group.',
  isFull: 'Alle ihre Plätze sind belegt.',
  noRoom: 'Keine Placement Group hat einen freien Platz.',
  leave: 'Server herausnehmen',
  leaveTitle: (group) => `Server aus ${group} herausnehmen`,
  leaveOwn: 'Aus der Placement Group nehmen',
  leaveOwnTitle: (server, group) => `${server} aus ${group} herausnehmen?`,
  leaveText: 'Er läuft weiter, wo er ist, und kann ab dem nächsten Start einen Host mit den anderen teilen.',
  leaveAct: 'Herausnehmen',
  isEmpty: 'Sie hat keine Server.',
}
