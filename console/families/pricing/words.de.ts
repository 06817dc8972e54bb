/** Wörter der Preise, die für sich stehen. */
import type { pricing as English } from './words.en.ts'

export const pricing: typeof English = {
  title: 'Preise',
  text: 'Was Ressourcen hier im Monat kosten, ohne USt.',
  rows: {
    backup: 'Backups, zusätzlich zum Server',
    traffic: 'Verkehr, je TB',
  },
  all: 'Alle Preise',
}
