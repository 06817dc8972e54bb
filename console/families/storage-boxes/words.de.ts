/** Wörter der Seite von Storage-Boxen. */
import type { storageBoxes as English } from './words.en.ts'

export const storageBoxes: typeof English = {
  title: 'Storage-Boxen',
  none: 'Es gibt noch keine. hcloud, Terraform und die API erstellen sie.',
  initializing: 'wird erstellt',
}
