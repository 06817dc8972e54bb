/** Wörter der Seite der SSH-Schlüssel. */
import type { sshKeys as English } from './words.en.ts'

export const sshKeys: typeof English = {
  title: 'SSH-Schlüssel',
  list: 'SSH-Schlüssel auflisten',
  add: 'SSH-Schlüssel hinzufügen',
  how: 'Woher der Schlüssel kommt',
  paste: 'Öffentlichen Schlüssel einfügen',
  generate: 'Paar erzeugen',
  generateAct: 'Erzeugen und hinzufügen',
  generateText:
    'Ein Ed25519-Paar entsteht in diesem Browser. Der öffentliche Schlüssel kommt ins Projekt; der private wird heruntergeladen und nie gesendet. Niemand kann ihn noch einmal zeigen.',
  cannotGenerate:
    'Dieser Browser erzeugt Schlüssel nur auf einer Seite, die über HTTPS oder von localhost kommt. Stattdessen hilft ssh-keygen -t ed25519.',
  publicKey: 'Öffentlicher Schlüssel',
  publicKeyHint: 'Eine Zeile, wie in ~/.ssh/id_ed25519.pub',
  storedTitle: (name) => `${name} ist hinzugefügt`,
  storedText: (file) => `Der private Schlüssel wurde als ${file} heruntergeladen. Es gibt keine andere Kopie.`,
  downloadAgain: 'Noch einmal herunterladen',
  iHaveIt: 'Ich habe ihn gesichert',
  kind: 'Art',
  fingerprint: 'Fingerabdruck',
  copyFingerprint: 'Fingerabdruck kopieren',
  copyPublic: 'Öffentlichen Schlüssel kopieren',
  none: 'Noch keine SSH-Schlüssel',
  noneText: 'Ein Schlüssel öffnet neue Server ohne Passwort. Er wird beim Anlegen in sie geschrieben.',
  noneCommand: 'hcloud ssh-key create --name laptop --public-key-from-file ~/.ssh/id_ed25519.pub',
  deleteText: 'Server, die ihn haben, behalten ihn. Neue Server können ihn nicht mehr bekommen.',
  deleteAct: 'Schlüssel löschen',
}
