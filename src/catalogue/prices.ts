/** Prices as decimal strings, computed without floating point. */
import { percentOf } from '../protocols/net/decimal.ts'
import type { Price } from './catalogue.ts'

const netDigits = 10
const grossDigits = 16

// A percentage of a number with 10 decimals needs at most 12 decimals, so nothing is lost. Gross amounts are integers
// in units of 10^-16, net amounts in units of 10^-10.
const vatPercent = 19n
/** Value added tax in percent, as a decimal string. */
export const vatRate = `${vatPercent}.00`

const grossPerNet = 10_000n * (100n + vatPercent)

/** The maximum number of hours that a month of use is billed. */
const billedHours = 624n

/** One unit of the fourth decimal place, in 10^-10. */
const hourlyStep = 1_000_000n

/**
 * The price of a net amount such as `5.49`: net with 10 decimals, gross (19 % VAT) with 16, both exact.
 * Throws a RangeError when `net` is not a plain decimal or has more than 10 decimals. OpenAPI schema `price`.
 */
export function priceOf(net: string): Price {
  return priceOfUnits(unitsOf(net))
}

/** The hourly price of a monthly net amount: a 624th of it, rounded half up to 4 decimals. Throws like `priceOf`. */
export function hourlyPriceOf(monthlyNet: string): Price {
  const divisor = billedHours * hourlyStep
  return priceOfUnits(((unitsOf(monthlyNet) + divisor / 2n) / divisor) * hourlyStep)
}

/**
 * The net amount for an hour of what the price list has by the month alone: a 624th of a monthly net amount, to 16 decimals.
 * Further decimals are cut off.
 */
export function hourOf(monthlyNet: string): string {
  const [whole = '', part = ''] = monthlyNet.split('.')
  const units = BigInt(whole + part.slice(0, grossDigits).padEnd(grossDigits, '0'))
  return decimalOf((units + billedHours / 2n) / billedHours, grossDigits)
}

/** Returns a percentage of a price, with no digit lost. */
export function shareOf({ net, gross }: Price, percent: string): Price {
  return { net: percentOf(net, percent), gross: percentOf(gross, percent) }
}

function priceOfUnits(units: bigint): Price {
  return { net: decimalOf(units, netDigits), gross: decimalOf(units * grossPerNet, grossDigits) }
}

function unitsOf(decimal: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,10}))?$/.exec(decimal)
  if (match === null) throw new RangeError(`${JSON.stringify(decimal)} is not a decimal with at most 10 decimals`)
  return BigInt((match[1] ?? '') + (match[2] ?? '').padEnd(netDigits, '0'))
}

function decimalOf(units: bigint, digits: number): string {
  const text = units.toString().padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
