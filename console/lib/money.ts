/**
 * Prices in words. They are net (`prices.ts`), and each says so: those that stand alone by themselves, and those of a card
 * or a table by its first amount or its head. Nothing else forms an amount of money.
 */

import { locale } from '../words/format.ts'
import { prices as w } from '../words/prices.ts'

/** An amount alone, below words that say that it is net. Two digits; what is billed by hour or GB has four. */
export function money(net: string, currency: string, digits = 2): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return format.format(net as `${number}`)
}

/** `€3.99 a month, excl. VAT` */
export function aMonth(net: string, currency: string): string {
  return w.aMonth(money(net, currency))
}
