/** Words of prices that are shown by themselves. */

export const pricing = {
  title: 'Prices',
  text: 'What resources cost here a month, excl. VAT.',
  rows: {
    backup: 'Backups, on top of the server',
    traffic: 'Traffic, per TB',
  },
  all: 'All prices',
}
