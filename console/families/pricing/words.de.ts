/** Wörter der Preise, die für sich stehen. */
import type { pricing as English } from './words.en.ts'

export const pricing: typeof English = {
  title: 'Preise',
  text: 'Was Ressourcen hier im Monat kosten, ohne USt.',
  rows: {
    server: 'Kleinster Server',
    primary_ip: 'Primary IPv4',
    floating_ip: 'Floating IPv4',
    image: 'Snapshot, je GB',
    volume: 'Volume, je GB',
    backup: 'Backups, zusätzlich zum Server',
    traffic: 'Verkehr, je TB',
  },
  all: 'Alle Preise',
}
