/** Words of the sheet of shortcuts. */

export const keys = {
  title: 'Keyboard shortcuts',
  off: 'Single keys are off',
  on: 'Single keys are on',
  next: 'then',
  groups: { go: 'Go to', page: 'On this page', list: 'In lists', general: 'Everywhere' },
  palette: 'Search or run a command',
  help: 'Show the shortcuts',
  filter: 'Filter the list',
  create: 'Create',
  edit: 'Edit the row or what is open',
  down: 'Next row',
  up: 'Previous row',
  select: 'Select the row',
  open: 'Open the row',
  actions: 'Actions of the row',
  back: 'Close, or clear the selection',
  commands: 'Show the commands',
}
