/** Wörter der Unterkonten von Storage-Boxen. */
import type { subaccounts as English } from './subaccounts.words.en.ts'

export const subaccounts: typeof English = {
  caption: (name) => `Unterkonten von ${name}`,
  none: 'Keine Unterkonten',
  noneText: 'Ein Unterkonto hat ein eigenes Passwort und sieht einen Ordner der Box, als wäre das alles.',
  countOf: (count, most) => `${count} von ${most} Unterkonten`,
  create: 'Unterkonto anlegen',
  createTitle: (name) => `Unterkonto von ${name} anlegen`,
  nameHint: 'Leer für seinen Benutzernamen.',
  description: 'Beschreibung',
  home: 'Ordner',
  homeHint: 'In der Box, ohne Schrägstrich am Anfang, etwa team/web. Er entsteht, wo er fehlt.',
  user: 'Benutzer',
  edit: 'Name, Beschreibung und Labels',
  editTitle: (name) => `${name} beschreiben`,
  changeHome: 'Ordner ändern',
  changeHomeTitle: (name) => `Ordner von ${name} ändern`,
  changeHomeText: 'Wer verbunden ist, wird getrennt. Dateien bleiben, wo sie sind.',
  changeAccess: 'Zugang ändern',
  changeAccessTitle: (name) => `Zugang von ${name} ändern`,
  remove: 'Unterkonto löschen',
  removeTitle: (name) => `Unterkonto ${name} löschen?`,
  removeText: 'Wer damit verbunden ist, wird getrennt. Die Dateien in seinem Ordner bleiben.',
  off: 'Niemand kommt hinein',
}
