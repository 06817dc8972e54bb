/** Wörter der Vorhersage eines Projekts. */

import type { overview as English } from '../en/overview.ts'
import { plural } from '../format.ts'

export const overview: typeof English = {
  title: (project) => `Übersicht von ${project}`,
  run: (running, all) =>
    running === all
      ? plural(all, { one: 'Der eine Server läuft.', other: 'Alle # Server laufen.' })
      : `${running} von ${all} Servern laufen.`,
  well: 'Nichts ist zu tun, und nichts endet in den nächsten sieben Tagen.',
  needs: (count) => plural(count, { one: 'Eines ist zu tun.', other: '# Dinge sind zu tun.' }),
  ends: (count) =>
    plural(count, {
      one: 'Ein Zertifikat endet in den nächsten sieben Tagen.',
      other: '# Zertifikate enden in den nächsten sieben Tagen.',
    }),
  begin: 'Erste Schritte',
  emptyText:
    'Hier ist noch nichts, und ein Projekt beginnt mit einem Server. Vier Befehle legen einen an, den Ihr Schlüssel öffnet, nach einem, der sie hierher führt:',
  point: 'Diese Cloud, für die Shell der anderen',
  steps: [
    {
      label: 'Ihr SSH-Schlüssel',
      command: 'hcloud ssh-key create --name laptop --public-key-from-file ~/.ssh/id_ed25519.pub',
    },
    {
      label: 'Eine Firewall, die nichts hereinlässt',
      command: 'hcloud firewall create --name web',
    },
    {
      label: 'SSH von überall',
      command:
        'hcloud firewall add-rule web --direction in --protocol tcp --port 22 --source-ips 0.0.0.0/0 --source-ips ::/0',
    },
    {
      label: 'Der Server, mit beiden',
      command: 'hcloud server create --name web-1 --type cx23 --image debian-12 --ssh-key laptop --firewall web',
    },
  ],
  week: 'Die nächsten sieben Tage',
  today: 'Heute',
  certificates: { renews: (name) => `${name} wird erneuert`, ends: (name) => `${name} endet` },
  backupsFrom: (hour) => `Backups ab ${hour}:00 UTC`,
  needsYou: 'Zu tun',
  servers: 'Server',
  states: {
    running: (count) => `${count} an`,
    moving: (count) => `${count} unterwegs`,
    off: (count) => `${count} aus`,
    attention: (count) => `${count} unbekannt`,
  },
  failed: (command, name) => `${name ? `${name}: ` : ''}${command} ist fehlgeschlagen`,
  healthyOf: (healthy, all) => `${healthy} von ${all} gesund`,
  noTargets: 'Keine Ziele',
  noMatch: 'Kein Server passt zu seinen Selektoren.',
  zoneStale: (name) => `${name}: Die Primärserver antworten nicht`,
  zoneStaleText: 'Die Kopie ist zu alt, um ihr zu trauen; niemand bekommt Antworten daraus.',
  blocked: (name) => `${name} ist gesperrt`,
  moreNeeds: (count) => plural(count, { one: 'und # weiteres', other: 'und # weitere' }),
  look: 'Ansehen',
  unknownState: (name) => `Der Zustand von ${name} ist unbekannt`,
  cost: 'Kosten eines Monats',
  estimate: 'geschätzt',
  shares: (parts) => `Anteile: ${parts}`,
  activity: 'Aktivität',
  all: 'Alle',
  nothingDone: 'Noch wurde nichts getan.',
}
