/** Wörter für Formulare mit Änderungen, die nicht gespeichert sind. */
import type { unsaved as English } from '../en/unsaved.ts'

export const unsaved: typeof English = {
  title: 'Änderungen verwerfen?',
  text: 'Was hier geändert wurde, ist nicht gespeichert.',
  act: 'Änderungen verwerfen',
  keep: 'Weiter bearbeiten',
  elsewhere: 'Das wurde währenddessen anderswo geändert.',
  elsewhereGone: 'Das wurde währenddessen anderswo gelöscht.',
  view: 'Jenes ansehen',
  overwrite: 'Mit meinem überschreiben',
}
