/** Wörter der Seite darüber, wie man eine Storage-Box erreicht. */
import type { access as English } from './access.words.en.ts'

export const access: typeof English = {
  settings: 'Zugangseinstellungen',
  settingsText: 'Sie gelten binnen einer Sekunde. Unterkonten haben eigene.',
  saveAct: 'Einstellungen speichern',
  account: 'Konto',
  main: (user) => `${user}, die Box selbst`,
  of: (user, home) => `${user}, ${home}`,
  ssh: 'Mit SSH',
  sshText:
    'Jedes fragt nach dem Passwort, wenn die Box deinen Schlüssel nicht kennt. Die erste Zeile macht ihn bekannt.',
  webdav: 'Mit WebDAV',
  webdavText: 'Jedes fragt nach dem Passwort.',
  isOff: (flag) => `${flag} ist für dieses Konto aus, also wird das abgelehnt.`,
  isClosed: (option) =>
    `Diese Installation hat hierfür keine Tür geöffnet, also wird damit nichts erreicht. Wer sie betreibt, öffnet eine mit der Option ${option}.`,
  isInside: 'Dieses Konto kommt nur aus Netzen dieser Installation hinein.',
  notYet: 'Die Box wird noch angelegt. Was zu kopieren ist, steht hier, sobald sie bereit ist.',
}
