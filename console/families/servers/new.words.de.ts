/** Wörter des Formulars, das Server anlegt. */

import { plural } from '../../words/format.ts'
import type { newServer as English } from './new.words.en.ts'

export const newServer: typeof English = {
  copyLink: 'Link zu diesem Formular kopieren',
  location: 'Standort',
  image: 'Image',
  kinds: { system: 'System', app: 'Apps', snapshot: 'Snapshots', backup: 'Backups' },
  kindCount: (kind, count) => `${kind} ${count}`,
  noImages: 'Davon gibt es keine.',
  type: 'Typ',
  typeColumns: {
    choose: 'Wählen',
    type: 'Typ',
    chip: 'Chip',
    cores: 'Kerne',
    memory: 'Speicher',
    disk: 'Platte',
    hour: 'Je Stunde',
    month: 'Je Monat',
  },
  own: (cores) => `${cores} eigene`,
  gigabytes: (amount) => `${amount} GB`,
  chips: { x86: 'x86', arm: 'Arm' },
  forChip: (chips) => `für ${chips}`,
  until: (text, date) => `${text}, bis ${date}`,
  cannot: {
    architecture: (has, wanted) => `${has}. Das gewählte Image ist für ${wanted}.`,
    elsewhere: (places) => `Hier nicht angeboten, aber in ${places}.`,
    full: (place, places) =>
      places ? `In ${place} ist keiner mehr frei. Platz ist in ${places}.` : `In ${place} ist keiner mehr frei.`,
    disk: (needed) => `Das Image braucht eine Platte von ${needed} GB.`,
    ended: 'Nicht mehr angeboten.',
  },
  showAll: 'Alle Typen zeigen',
  networking: 'Netzwerk',
  ipv4: 'Öffentliche IPv4',
  ipv6: 'Öffentliche IPv6',
  free: 'kostenlos',
  noAddress: 'Ohne Adresse und ohne Netzwerk ist der Server nicht erreichbar und kann nicht starten.',
  keysAre: (count) =>
    plural(count, {
      one: 'Ein Schlüssel wird installiert, also gibt es kein Root-Passwort.',
      other: '# Schlüssel werden installiert, also gibt es kein Root-Passwort.',
    }),
  passwordShown: 'Ohne Schlüssel wird das Root-Passwort einmal gezeigt.',
  takeOff: 'Markiertes ist nicht zu haben. Es muss weg.',
  groupGone: 'Die Placement Group wurde gelöscht. Eine andere oder keine wählen.',
  noSuch: {
    location: (name) => `Den Standort ${name} gibt es nicht.`,
    image: (name) => `Das Image ${name} gibt es nicht.`,
    type: (name) => `Den Typ ${name} gibt es nicht.`,
  },
  backups: 'Backups',
  backupsText: 'Eines am Tag, sieben bleiben',
  backupsPrice: (percent, price) => `${percent} vom Typ, ${price}`,
  more: 'Cloud-init und Platzierung',
  userData: 'Cloud-init',
  userDataHint: 'Ein Skript oder eine cloud-config für den ersten Start.',
  placementGroup: 'Placement Group',
  noGroup: 'Keine',
  nameAndLabels: 'Labels und Name',
  name: 'Name',
  nameHint: 'web-{1..5} ergibt fünf.',
  wrongName: (better) =>
    better
      ? `Ein Hostname hat Buchstaben, Ziffern und Bindestriche. War ${better} gemeint?`
      : 'Ein Hostname hat Buchstaben, Ziffern und Bindestriche.',
  costs: {
    type: (type, location) => `${type} in ${location}`,
    ipv4: 'Öffentliche IPv4',
    ipv6: 'Öffentliche IPv6',
    backups: (percent) => `Backups, ${percent}`,
  },
  creates: 'Entsteht',
  times: (count) => plural(count, { one: '# Server', other: '# Server' }),
  create: (count) => (count === 1 ? 'Server anlegen' : `${count} Server anlegen`),
  ready: 'Bereit in etwa 20 Sekunden.',
  missing: (what) => `Noch zu wählen: ${what}.`,
  badRange: 'Ein Bereich zählt aufwärts und hat höchstens 50 Zahlen.',
  noPrice: 'Für diese Auswahl gibt es keinen Preis.',
  allMade: 'Alle sind angelegt.',
  withoutBackups: (name) => `${name} wurde angelegt, aber ohne Backups.`,
  failed: (name) => `${name} wurde nicht angelegt und kostet nichts.`,
  passwordOf: (name) => `Das Root-Passwort von ${name}`,
  passwords: 'Die Root-Passwörter',
}
