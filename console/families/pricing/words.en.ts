/** Words of prices that are shown by themselves. */

export const pricing = {
  title: 'Prices',
  text: 'What resources cost here a month, excl. VAT.',
  rows: {
    server: 'Smallest server',
    primary_ip: 'Primary IPv4',
    floating_ip: 'Floating IPv4',
    image: 'Snapshot, per GB',
    volume: 'Volume, per GB',
    backup: 'Backups, on top of the server',
    traffic: 'Traffic, per TB',
  },
  all: 'All prices',
}
