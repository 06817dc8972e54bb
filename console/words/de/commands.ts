/** Warum ein Client keinen Befehl für das hat, was ein Formular tut. */
import type { commands as English } from '../en/commands.ts'

export const commands: typeof English = {
  newer: (client, version) => `${client} kann das ab Version ${version}.`,
  management: 'MANAGEMENT_TOKEN ist ein Verwaltungstoken, das wolke token create --management auf dem Rechner ausgibt.',
  reasons: {
    command: (client) => `${client} hat dafür keinen Befehl.`,
    describes: (client) => `${client} beschreibt, was sein soll; die Ressource in der Konfiguration ändern.`,
    labels: (client) => `${client} ändert Labels einzeln, was von den vorhandenen abhängt.`,
    missing: (client, what) => `${client} braucht dafür ${what}.`,
    nothing: () => 'Es gibt nichts zu ändern.',
    oneValue: (client, what) => `${client} nimmt nur einen Wert von ${what} auf einmal.`,
    option: (client, what) => `${client} hat keine Option für ${what}.`,
    ownCommand: (_, what) => `Ein Teil davon hat einen eigenen Befehl: ${what}.`,
    person: () => 'Das tun nur Menschen, die im Browser angemeldet sind.',
    together: (client, what) => `${client} ändert das nur zusammen mit ${what}.`,
    unfinished: () => 'Für einen Befehl fehlt noch etwas.',
    value: (client, what) => `${client} kann diesen Wert von ${what} nicht angeben.`,
    notHere: () => 'Storage-Boxen gibt es hier noch nicht.',
  },
}
