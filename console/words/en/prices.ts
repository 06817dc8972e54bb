/** Words of prices, which are net everywhere. */
export const prices = {
  aMonth: (amount: string) => `${amount} a month, excl. VAT`,
  anHour: (amount: string) => `${amount} an hour`,
  aGigabyte: (amount: string) => `${amount} a month for each GB, excl. VAT`,
  change: (from: string, to: string) => `${from} now, ${to} then, both a month and excl. VAT`,
  month: 'a month, excl. VAT',
  monthOf: 'A month, excl. VAT',
  none: 'The price list names no price there.',
  notThere: 'not there',
  areNet: 'Prices are excl. VAT.',
}
