/**
 * What things cost, from the price list of the API. Everything here is net, as operators write their price lists: this is
 * the only place that chooses between the two amounts of the list. Amounts are exact decimal strings.
 */

import { isLess, percentOf, sum, times } from '../../../src/protocols/net/decimal.ts'
import type { ReplyFor } from '../../api/operations.ts'

export type PriceList = ReplyFor<'pricing_get'>['pricing']

/** Both amounts of a price. */
interface Price {
  readonly net: string
  readonly gross: string
}

export interface Line {
  /** The purpose, such as `server` or `backups`; its family has a title for it. */
  readonly what: string
  /** The name of a type, the version of an address, or GB. */
  readonly detail: string
  readonly count: number
  /** The price of all of them together; null for what is billed by month only. */
  readonly hourly: string | null
  readonly monthly: string
}

/** The costs of resources of a family, in prices.ts of its slice. */
export interface Priced<Row> {
  /** The titles of lines, as in an overview. */
  readonly titles: Readonly<Record<string, Readonly<Record<'en' | 'de', string>>>>
  /** The filter for those that cost something; absent if all do. */
  readonly query?: Readonly<Record<string, readonly string[]>>
  /** Returns what one of them costs; nothing where it has no price in its location. */
  readonly linesOf: (row: Row, prices: PriceList) => readonly Line[]
  /** The price that stands for all of the family. */
  readonly firstPrice?: FirstPrice
}

/** A price of a family that one asks about first. */
interface FirstPrice {
  /** The place in lists: behind all with a smaller number. */
  readonly place: number
  readonly label: Readonly<Record<'en' | 'de', string>>
  /** The digits behind the point, unless there are two. */
  readonly digits?: number
  /** Returns the amount of a month; undefined is what the list leaves out. */
  readonly amountOf: (prices: PriceList) => string | undefined
}

/** The sums of lines: of what is billed by the hour, and the most that a month costs. */
export function totalOf(lines: readonly Line[]): { readonly hourly: string; readonly monthly: string } {
  return { hourly: sum(lines.flatMap(({ hourly }) => hourly ?? [])), monthly: sum(lines.map(({ monthly }) => monthly)) }
}

interface Hourly {
  readonly price_hourly: Price
  readonly price_monthly: Price
}

/** The prices of a type, by location. */
export type Places = readonly (Hourly & { readonly location: string })[]

/** Returns the price of one of a type in a location; undefined where it cannot be had. */
export function ratesIn(places: Places, location: string | undefined) {
  const at = places.find((place) => place.location === location)
  return at && { hourly: at.price_hourly.net, monthly: at.price_monthly.net }
}

/** Returns the lowest monthly price of a type; undefined where it cannot be had. */
export function leastMonthly(places: Places): string | undefined {
  return least(places.map((place) => place.price_monthly.net))
}

/** Returns the monthly price of a version of addresses; undefined where the list leaves it out. */
export function monthlyOf(version: 'ipv4' | 'ipv6', lists: Lists<{ readonly price_monthly: Price }>) {
  return lists.find(({ type }) => type === version)?.prices[0]?.price_monthly.net
}

/** Returns the monthly price of a GB. */
export function gigabyteOf({ price_per_gb_month }: { readonly price_per_gb_month: Price }): string {
  return price_per_gb_month.net
}

/** Returns the price of a TB of traffic; undefined where the list leaves it out. */
export function terabyteOf({ traffic }: PriceList): string | undefined {
  return traffic?.price_per_tb.net
}

/** The amount that is shown of a sum that the server has made. */
export function shownOf(price: Price): string {
  return price.net
}

/** The least of some amounts. */
export function least(amounts: readonly string[]): string | undefined {
  return amounts.reduce<string | undefined>(
    (low, one) => (low === undefined || isLess(one, low) ? one : low),
    undefined,
  )
}

type Lists<P> = readonly {
  readonly name?: string
  readonly type?: string
  readonly prices: readonly (P & { readonly location: string })[]
}[]

function priceIn<P>(lists: Lists<P>, wanted: string, location: string): P | undefined {
  const list = lists.find(({ name, type }) => (name ?? type) === wanted)
  return list?.prices.find((price) => price.location === location)
}

/** The resources of one type wanted in a location. */
interface Wanted {
  readonly type: string
  readonly location: string
  readonly count?: number | undefined
}

/** Prices what is billed by the hour, up to a month; returns nothing where it has no price there. */
export function hourlyLines(
  what: string,
  { type, location, count = 1 }: Wanted,
  lists: Lists<Hourly>,
): readonly Line[] {
  const price = priceIn(lists, type, location)
  if (!price) return []
  const [hourly, monthly] = [times(price.price_hourly.net, count), times(price.price_monthly.net, count)]
  return [{ what, detail: type, count, hourly, monthly }]
}

/** Prices what is billed by the month only; returns nothing where it has no price there. */
export function monthlyLines(
  what: string,
  { type, location, count = 1 }: Wanted,
  lists: Lists<{ readonly price_monthly: Price }>,
): readonly Line[] {
  const price = priceIn(lists, type, location)
  if (!price) return []
  return [{ what, detail: type, count, hourly: null, monthly: times(price.price_monthly.net, count) }]
}

/** Prices what is billed by its size in GB, of which there may be parts. */
export function sizeLine(
  what: string,
  size: number,
  { price_per_gb_month }: { readonly price_per_gb_month: Price },
): Line {
  const monthly = percentOf(price_per_gb_month.net, (size * 100).toFixed(1))
  return { what, detail: String(size), count: 1, hourly: null, monthly }
}

/** Prices a share of another line. */
export function shareLine(what: string, line: Line, percentage: string): Line {
  const hourly = line.hourly && percentOf(line.hourly, percentage)
  return { ...line, what, hourly, monthly: percentOf(line.monthly, percentage) }
}

interface Charged {
  readonly net: string
  readonly price_hourly: string
}

/** What a report says that resources have cost: all together, and each with its price by the hour. */
export function chargedIn<One extends Charged>({
  net,
  lines,
}: {
  readonly net: string
  readonly lines: readonly One[]
}) {
  return { sum: net, lines: lines.map((line) => ({ ...line, amount: line.net, hourly: line.price_hourly })) }
}
