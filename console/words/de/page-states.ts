/** Wörter der Zustände, die jede Seite außer ihren eigenen hat. */
import type { pageStates as English } from '../en/page-states.ts'

export const pageStates: typeof English = {
  forbidden: 'Das ist hier nicht sichtbar',
  forbiddenText: (role) =>
    `Dafür ist in diesem Projekt die Rolle ${role} nötig. Ein Eigentümer oder Admin des Projekts kann sie geben.`,
  forbiddenPlain:
    'Die Rolle in diesem Projekt reicht dafür nicht. Ein Eigentümer oder Admin des Projekts kann sie ändern.',
  missing: 'Hier ist nichts',
  missingText: 'Nichts hat diese Adresse. Vielleicht wurde es gelöscht, oder es gehört zu einem anderen Projekt.',
  gone: (name) => `${name} wurde anderswo gelöscht, während diese Seite offen war.`,
  failedText: 'Nichts wurde geändert.',
}
