/** Wörter der Übersicht der Tastenkürzel. */
import type { keys as English } from '../en/keys.ts'

export const keys: typeof English = {
  title: 'Tastenkürzel',
  off: 'Einzelne Tasten sind aus',
  on: 'Einzelne Tasten sind an',
  next: 'dann',
  groups: { go: 'Gehe zu', page: 'Auf dieser Seite', list: 'In Listen', general: 'Überall' },
  palette: 'Suchen oder Befehl ausführen',
  help: 'Tastenkürzel zeigen',
  filter: 'Liste filtern',
  create: 'Anlegen',
  edit: 'Zeile oder Geöffnetes bearbeiten',
  down: 'Nächste Zeile',
  up: 'Vorige Zeile',
  select: 'Zeile auswählen',
  open: 'Zeile öffnen',
  actions: 'Aktionen der Zeile',
  back: 'Schließen oder Auswahl aufheben',
  commands: 'Befehle zeigen',
}
