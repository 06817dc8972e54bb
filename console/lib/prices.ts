/**
 * What things cost, from the price list of the API. Everything here is net, as operators write their price lists: this is
 * the only place that chooses between the two amounts of the list. Amounts are exact decimal strings.
 */
import type { Static } from 'typebox'
import type { Pricing } from '../../src/families/pricing/contract.ts'
import { isLess, percentOf, sum, times } from '../../src/protocols/net/decimal.ts'

type PriceList = Static<typeof Pricing>

/** Both amounts of a price. */
interface Price {
  readonly net: string
  readonly gross: string
}

export interface Line {
  readonly what: 'server' | 'backups' | 'load_balancer' | 'primary_ip' | 'floating_ip' | 'volume' | 'snapshot'
  /** The name of a type, the version of an address, or GB. */
  readonly detail: string
  readonly count: number
  /** For all of them together; null for what is billed by month only. */
  readonly hourly: string | null
  readonly monthly: string
}

interface Estimate {
  readonly currency: string
  readonly lines: readonly Line[]
  /** The sum of what is billed by the hour. */
  readonly hourly: string
  /** The most that a month costs. */
  readonly monthly: string
  /** What has no price in that location. */
  readonly unknown: readonly string[]
}

/** What is to be there in one location; `count` is how often, once where absent. */
export interface Wanted {
  readonly location: string
  readonly servers?: readonly { readonly type: string; readonly backups?: boolean; readonly count?: number }[]
  readonly loadBalancers?: readonly { readonly type: string; readonly count?: number }[]
  readonly primaryIps?: readonly { readonly type: 'ipv4' | 'ipv6'; readonly count?: number }[]
  readonly floatingIps?: readonly { readonly type: 'ipv4' | 'ipv6'; readonly count?: number }[]
  /** Sizes in GB, of which there may be parts. */
  readonly snapshots?: readonly { readonly size: number }[]
  readonly volumes?: readonly { readonly size: number; readonly count?: number }[]
}

/** Adds up what is wanted. */
export function estimate(wanted: Wanted, prices: PriceList): Estimate {
  const unknown: string[] = []
  const lines = [
    ...(wanted.servers ?? []).flatMap((one) => serverLines(one, wanted.location, prices)),
    ...(wanted.loadBalancers ?? []).map(({ type, count = 1 }) =>
      hourlyLine('load_balancer', type, count, priceIn(prices.load_balancer_types, type, wanted.location)),
    ),
    ...(wanted.primaryIps ?? []).map(({ type, count = 1 }) =>
      hourlyLine('primary_ip', type, count, priceIn(prices.primary_ips, type, wanted.location)),
    ),
    ...(wanted.floatingIps ?? []).map(({ type, count = 1 }) => {
      const price = priceIn(prices.floating_ips, type, wanted.location)
      return price && monthlyLine('floating_ip', type, count, price.price_monthly.net)
    }),
    ...(wanted.volumes ?? []).map(({ size, count = 1 }) =>
      monthlyLine('volume', String(size), count, times(prices.volume.price_per_gb_month.net, size)),
    ),
    ...(wanted.snapshots ?? []).map(({ size }) =>
      monthlyLine('snapshot', String(size), 1, percentOf(prices.image.price_per_gb_month.net, (size * 100).toFixed(1))),
    ),
  ]
  const asked = [wanted.loadBalancers, wanted.primaryIps, wanted.floatingIps].flatMap((some) => some ?? [])
  for (const { type } of [...(wanted.servers ?? []), ...asked]) {
    if (!lines.some((line) => line?.detail === type)) unknown.push(type)
  }
  const known = lines.filter((line) => line !== undefined)
  return {
    currency: prices.currency,
    lines: known,
    hourly: sum(known.flatMap(({ hourly }) => hourly ?? [])),
    monthly: sum(known.map(({ monthly }) => monthly)),
    unknown,
  }
}

interface Hourly {
  readonly price_hourly: Price
  readonly price_monthly: Price
}

/** What a type costs, by location. */
type Places = readonly (Hourly & { readonly location: string })[]

/** What one of a type costs in a location; undefined where it cannot be had. */
export function ratesIn(places: Places, location: string | undefined) {
  const at = places.find((place) => place.location === location)
  return at && { hourly: at.price_hourly.net, monthly: at.price_monthly.net }
}

/** What a month costs of one of a type where it costs least; undefined where it cannot be had. */
export function leastMonthly(places: Places): string | undefined {
  return least(places.map((place) => place.price_monthly.net))
}

/** What a month costs of what one asks about first; undefined for what the list leaves out. */
export function overviewOf({ server_types, primary_ips, floating_ips, image, volume, traffic }: PriceList) {
  const ipv4 = <Of extends { readonly type: string }>(all: readonly Of[]) => all.find(({ type }) => type === 'ipv4')
  return {
    server: least(server_types.flatMap(({ prices }) => leastMonthly(prices) ?? [])),
    primary_ip: ipv4(primary_ips)?.prices[0]?.price_monthly.net,
    floating_ip: ipv4(floating_ips)?.prices[0]?.price_monthly.net,
    image: image.price_per_gb_month.net,
    volume: volume.price_per_gb_month.net,
    traffic: traffic?.price_per_tb.net,
  }
}

/** The amount that is shown of a sum that the server has made. */
export function shownOf(price: Price): string {
  return price.net
}

function least(amounts: readonly string[]): string | undefined {
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

function serverLines(
  { type, backups = false, count = 1 }: { type: string; backups?: boolean; count?: number },
  location: string,
  prices: PriceList,
): (Line | undefined)[] {
  const line = hourlyLine('server', type, count, priceIn(prices.server_types, type, location))
  if (!line || !backups) return [line]
  const { percentage } = prices.server_backup
  const hourly = line.hourly && percentOf(line.hourly, percentage)
  return [line, { ...line, what: 'backups', hourly, monthly: percentOf(line.monthly, percentage) }]
}

function hourlyLine(what: Line['what'], detail: string, count: number, price: Hourly | undefined): Line | undefined {
  if (!price) return undefined
  const hourly = times(price.price_hourly.net, count)
  return { what, detail, count, hourly, monthly: times(price.price_monthly.net, count) }
}

function monthlyLine(what: Line['what'], detail: string, count: number, monthly: string): Line {
  return { what, detail, count, hourly: null, monthly: times(monthly, count) }
}
