/** Words of forms with changes that are not saved. */
export const unsaved = {
  title: 'Discard your changes?',
  text: 'What was changed here is not saved.',
  act: 'Discard changes',
  keep: 'Keep editing',
  elsewhere: 'This was changed elsewhere while you were changing it.',
  elsewhereGone: 'This was deleted elsewhere while you were changing it.',
  view: 'View theirs',
  overwrite: 'Overwrite with mine',
}
