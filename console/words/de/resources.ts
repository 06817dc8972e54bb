/** Wörter für das, was mit Ressourcen jeder Art getan werden kann. */

import type { resources as English } from '../en/resources.ts'
import { plural } from '../format.ts'

export const resources: typeof English = {
  rename: 'Umbenennen',
  renameTitle: (name) => `${name} umbenennen`,
  protect: 'Vor dem Löschen schützen',
  unprotect: 'Schutz aufheben',
  isProtected: 'ist geschützt',
  protected: 'Vor dem Löschen geschützt',
  notChanged: (name) => `${name} wurde nicht geändert`,
  deleteTitle: (name) => `${name} löschen?`,
  deleteAct: (name) => `${name} löschen`,
  activity: 'Aktivität',
  noActivity: 'Noch ist nichts geschehen.',
  activityCaption: (name) => `Aktionen von ${name}`,
  command: 'Aktion',
  state: 'Zustand',
  started: 'Begonnen',
  took: 'Dauer',
  statuses: { running: 'Läuft', success: 'Fertig', error: 'Fehlgeschlagen' },
  danger: 'Gefahr',
  server: 'Server',
  chooseServer: 'Server auswählen',
  findServer: 'Name oder Adresse des Servers',
  noServerFits: 'Kein Server passt.',
  moreServers: (count) => `${count} weitere, zum Finden tippen`,
  selector: 'Label-Selektor',
  matchesNames: (count, names) =>
    count === 0
      ? 'Trifft zurzeit keinen Server.'
      : `Trifft zurzeit ${plural(count, { one: '# Server', other: '# Server' })}: ${names}.`,
  moreNames: (count) => plural(count, { one: '# weiterer', other: '# weitere' }),
  age: 'Alter',
  commandsText: 'Was diese Seite zeigt und tut, für ein Terminal.',
  commandFooter: 'Das Token steht in der Variablen HCLOUD_TOKEN.',
  created: 'Angelegt',
  id: 'ID',
  location: 'Standort',
  nothing: 'nichts',
  protection: 'Schutz',
  servers: (count) => plural(count, { one: '# Server', other: '# Server' }),
  settings: 'Einstellungen',
  status: 'Status',
  summary: 'Zusammenfassung',
  type: 'Typ',
  usedBy: 'Benutzt von',
}
