/** Wörter der Fragen zu Servern, und dessen, was daraus wurde. */

import { plural } from '../../words/format.ts'
import type { serverDialogs as English } from './dialogs.words.en.ts'

const servers_ = { one: '# Server', other: '# Server' }

export const serverDialogs: typeof English = {
  deleteTitle: (names) => `${names} löschen?`,
  deleteText: (count) =>
    plural(count, {
      one: 'Platte und Backups gehen mit verloren. Das lässt sich nicht zurücknehmen.',
      other: 'Platten und Backups gehen mit verloren. Das lässt sich nicht zurücknehmen.',
    }),
  deleteAct: (count) => `${plural(count, servers_)} löschen`,
  deleteWord: (count) => plural(count, servers_),
  someFailed: (failed, all) => `${failed} von ${plural(all, servers_)} ließen sich nicht ändern`,
  done: 'erledigt',
  firewall: 'Firewall',
  firewallsOf: (names) => `Firewall von ${names}`,
  firewallWays: { apply: 'Anwenden', remove: 'Wegnehmen' },
  chooseFirewall: 'Firewall wählen',
  applyFirewall: (count) => `Auf ${plural(count, servers_)} anwenden`,
  removeFirewall: (count) => `Von ${plural(count, servers_)} wegnehmen`,
  firewallStays: {
    apply: (names) => `Für ${names} ändert sich nichts: Die Firewall ist schon da.`,
    remove: (names) => `Für ${names} ändert sich nichts: Die Firewall ist nicht da.`,
  },
}
