/** Wörter darüber, worauf eine Firewall angewendet ist. */

import { plural } from '../../words/format.ts'
import type { firewallTargets as English } from './targets.words.en.ts'

const servers = { one: '# Server', other: '# Server' }

export const firewallTargets: typeof English = {
  applyTo: 'Anwenden auf',
  applyTitle: (name) => `${name} anwenden auf`,
  applyServers: (count) => `Auf ${plural(count, servers)} anwenden`,
  applySelector: 'Auf den Selektor anwenden',
  appliedNowhereTitle: 'Auf nichts angewendet',
  appliedNowhereText: 'Auf Server anwenden oder auf einen Label-Selektor, dem neue Server von selbst folgen.',
  kind: 'Worauf sie angewendet wird',
  kinds: { server: 'Server', label_selector: 'Label-Selektor' },
  addSelector: 'Selektor hinzufügen',
  matchesNow: (count) => (count === 0 ? 'trifft zurzeit keinen Server' : `trifft zurzeit ${plural(count, servers)}`),
  pending: 'gilt noch nicht',
  removeFrom: (name) => `Von ${name} entfernen`,
  removeAct: 'Entfernen',
  removeTitle: (target, name) => `${name} von ${target} entfernen?`,
  removeText: 'Was die Regeln verwarfen, kommt durch, sofern dort keine andere Firewall angewendet ist.',
}
