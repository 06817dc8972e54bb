/** Wörter der Seiten eines Servers. */

import { plural } from '../../words/format.ts'
import type { server as English } from './detail.words.en.ts'

export const server: typeof English = {
  tabs: {
    overview: 'Übersicht',
    networking: 'Netzwerk',
    backups: 'Backups und Snapshots',
    change: 'Größe, Neuaufbau, Rettung',
    activity: 'Aktivität',
    settings: 'Einstellungen',
  },
  label: 'Teile des Servers',
  machine: 'Maschine',
  type: 'Typ',
  image: 'Image',
  location: 'Standort',
  created: 'Angelegt',
  group: 'Placement Group',
  iso: 'ISO',
  disk: 'Platte',
  gigabytes: (amount) => `${amount} GB`,
  addresses: 'Adressen',
  enter: 'Anmelden',
  enterText: 'Mit dem installierten Schlüssel oder dem Root-Passwort.',
  running: (command) => `${command} läuft`,
  firewalls: 'Firewalls',
  firewallStatus: { applied: 'Angewandt', pending: 'Wird angewandt' },
  noFirewalls: 'Keine Firewall ist angewandt, also ist jeder Port offen.',
  noAddresses: 'Er hat keine öffentliche Adresse.',
  noNetworks: 'Er ist in keinem privaten Netzwerk.',
  activity: {
    caption: (name) => `Aktionen von ${name}`,
    command: 'Aktion',
    status: 'Zustand',
    started: 'Begonnen',
    duration: 'Dauer',
    none: 'Noch wurde nichts damit getan.',
    statuses: { running: 'Läuft', success: 'Erledigt', error: 'Fehlgeschlagen' },
  },
  settings: {
    name: 'Name',
    rename: 'Umbenennen',
    labels: 'Labels',
    protection: 'Schutz',
    protectDelete: 'Vor dem Löschen',
    protectRebuild: 'Vor dem Neuaufbau',
    delete: 'Löschen',
    deleteText: 'Platte und Backups gehen mit verloren. Snapshots bleiben.',
  },
  cut: {
    shutDown: {
      title: (names) => `${names} herunterfahren?`,
      text: (count) =>
        plural(count, {
          one: 'Er wird gebeten, selbst anzuhalten, und nichts darauf antwortet, bis er wieder eingeschaltet wird.',
          other:
            'Sie werden gebeten, selbst anzuhalten, und nichts darauf antwortet, bis sie wieder eingeschaltet werden.',
        }),
      act: (count) => plural(count, { one: 'Herunterfahren', other: '# Server herunterfahren' }),
    },
    reboot: {
      title: (names) => `${names} neu starten?`,
      text: (count) =>
        plural(count, {
          one: 'Er wird gebeten, selbst neu zu starten, und nichts darauf antwortet, bis er wieder läuft.',
          other: 'Sie werden gebeten, selbst neu zu starten, und nichts darauf antwortet, bis sie wieder laufen.',
        }),
      act: (count) => plural(count, { one: 'Neu starten', other: '# Server neu starten' }),
    },
    powerOff: {
      title: (names) => `${names} ausschalten?`,
      text: (count) =>
        plural(count, {
          one: 'Der Strom ist sofort weg. Was noch nicht auf der Platte ist, geht verloren. „Herunterfahren“ bittet den Server, selbst anzuhalten.',
          other:
            'Der Strom ist sofort weg. Was noch nicht auf den Platten ist, geht verloren. „Herunterfahren“ bittet die Server, selbst anzuhalten.',
        }),
      act: (count) => plural(count, { one: 'Ausschalten', other: '# Server ausschalten' }),
    },
    reset: {
      title: (names) => `${names} zurücksetzen?`,
      text: (count) =>
        plural(count, {
          one: 'Der Strom ist sofort weg und kommt wieder. Was noch nicht auf der Platte ist, geht verloren. „Neu starten“ bittet den Server, es selbst zu tun.',
          other:
            'Der Strom ist sofort weg und kommt wieder. Was noch nicht auf den Platten ist, geht verloren. „Neu starten“ bittet die Server, es selbst zu tun.',
        }),
      act: (count) => plural(count, { one: 'Zurücksetzen', other: '# Server zurücksetzen' }),
    },
    stays: (names) => `Nichts ändert sich für ${names}: Das geht dort jetzt nicht.`,
    keep: 'Anlassen',
    keepThem: 'Anlassen',
  },
  saved: (name) => `${name} ist gespeichert`,
  password: (name) => `Das Root-Passwort von ${name}`,
  ago: (text) => `angelegt ${text}`,
  count: (count) => plural(count, { one: '# Server', other: '# Server' }),
}
