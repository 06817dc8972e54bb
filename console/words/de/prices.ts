/** Wörter der Preise, die überall netto sind. */
import type { prices as English } from '../en/prices.ts'

export const prices: typeof English = {
  aMonth: (amount) => `${amount} im Monat, ohne USt.`,
  anHour: (amount) => `${amount} in der Stunde`,
  aGigabyte: (amount) => `${amount} im Monat für jedes GB, ohne USt.`,
  change: (from, to) => `Jetzt ${from}, dann ${to}, beides im Monat und ohne USt.`,
  month: 'im Monat, ohne USt.',
  monthOf: 'Im Monat, ohne USt.',
  none: 'Die Preisliste nennt dort keinen Preis.',
  notThere: 'dort nicht',
  areNet: 'Alle Preise ohne USt.',
}
