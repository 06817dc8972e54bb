/** Words of the questions about servers, and of what came of acts on them. */
import { plural } from '../../words/format.ts'

const servers_ = { one: '# server', other: '# servers' }

export const serverDialogs = {
  deleteTitle: (names: string) => `Delete ${names}?`,
  deleteText: (count: number) =>
    plural(count, {
      one: 'Its disk and its backups go with it. This cannot be taken back.',
      other: 'Their disks and backups go with them. This cannot be taken back.',
    }),
  deleteAct: (count: number) => `Delete ${plural(count, servers_)}`,
  deleteWord: (count: number) => plural(count, servers_),
  someFailed: (failed: number, all: number) => `${failed} of ${plural(all, servers_)} could not be changed`,
  done: 'done',
  firewall: 'Firewall',
  firewallsOf: (names: string) => `Firewall of ${names}`,
  firewallWays: { apply: 'Apply', remove: 'Take off' },
  chooseFirewall: 'Choose a firewall',
  applyFirewall: (count: number) => `Apply to ${plural(count, servers_)}`,
  removeFirewall: (count: number) => `Take off ${plural(count, servers_)}`,
  firewallStays: {
    apply: (names: string) => `Nothing changes for ${names}: the firewall is on already.`,
    remove: (names: string) => `Nothing changes for ${names}: the firewall is not on.`,
  },
}
