/** Wörter der Seite der Images. */
import type { images as English } from './words.en.ts'

export const images: typeof English = {
  title: 'Images',
  list: 'Snapshots auflisten',
  show: 'Image zeigen',
  kinds: { snapshot: 'Snapshot', backup: 'Backup', system: 'System', app: 'App' },
  system: 'System',
  neededDisk: 'Festplatte mindestens',
  unused: 'Kein Server wurde daraus gemacht.',
  deprecatedText: (since, until) =>
    `Veraltet seit ${since}. Bis ${until} lassen sich Server daraus machen; bestehende bleiben, wie sie sind.`,
  keepTitle: (name) => `${name} als Snapshot behalten?`,
  keepText: 'Neuere Backups ersetzen es nicht mehr, und es geht nicht mehr mit seinem Server.',
  types: { snapshot: 'Snapshots', backup: 'Backups', system: 'Systeme', app: 'Apps' },
  createServer: 'Server daraus anlegen',
  makeSnapshot: 'Als Snapshot behalten',
  from: 'Gemacht aus',
  size: 'Größe',
  gb: (size) => `${size} GB`,
  disk: (size) => `braucht ${size} GB Platte`,
  architecture: 'Architektur',
  available: 'Bereit',
  creating: 'Wird gemacht',
  isCreating: 'wird noch gemacht',
  deprecated: 'Abgekündigt',
  until: (day) => `bis ${day}`,
  none: 'Keine Images',
  noneText:
    'Ein Snapshot ist der Inhalt der Platte eines Servers, aus dem sich andere machen lassen. Er entsteht auf der Seite des Servers.',
  deleteText: 'Server, die daraus gemacht wurden, bleiben. Andere lassen sich nicht mehr daraus machen.',
  deleteAct: 'Image löschen',
}
