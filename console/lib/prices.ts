/** What something would cost, from the price list of the API. Amounts are exact decimal strings. */
import type { Static } from 'typebox'
import type { Pricing } from '../../src/families/pricing/contract.ts'
import { percentOf, sum, times } from './decimal.ts'

type PriceList = Static<typeof Pricing>

interface Amount {
  readonly net: string
  readonly gross: string
}

export interface Line {
  readonly what: 'server' | 'backups' | 'load_balancer' | 'primary_ip' | 'floating_ip' | 'volume' | 'snapshot'
  /** The name of a type, the version of an address, or GB. */
  readonly detail: string
  readonly count: number
  /** For all of them together; null for what is billed by month only. */
  readonly hourly: Amount | null
  readonly monthly: Amount
}

interface Estimate {
  readonly currency: string
  readonly lines: readonly Line[]
  /** The sum of what is billed by the hour. */
  readonly hourly: Amount
  /** The most that a month costs. */
  readonly monthly: Amount
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
      return price && monthlyLine('floating_ip', type, count, price.price_monthly)
    }),
    ...(wanted.volumes ?? []).map(({ size, count = 1 }) =>
      monthlyLine('volume', String(size), count, multiple(prices.volume.price_per_gb_month, size)),
    ),
    ...(wanted.snapshots ?? []).map(({ size }) =>
      monthlyLine('snapshot', String(size), 1, part(prices.image.price_per_gb_month, (size * 100).toFixed(1))),
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
    hourly: total(known.flatMap(({ hourly }) => hourly ?? [])),
    monthly: total(known.map(({ monthly }) => monthly)),
    unknown,
  }
}

interface Hourly {
  readonly price_hourly: Amount
  readonly price_monthly: Amount
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
  const hourly = line.hourly && part(line.hourly, percentage)
  return [line, { ...line, what: 'backups', hourly, monthly: part(line.monthly, percentage) }]
}

function part({ net, gross }: Amount, percentage: string): Amount {
  return { net: percentOf(net, percentage), gross: percentOf(gross, percentage) }
}

function hourlyLine(what: Line['what'], detail: string, count: number, price: Hourly | undefined): Line | undefined {
  if (!price) return undefined
  const hourly = multiple(price.price_hourly, count)
  return { what, detail, count, hourly, monthly: multiple(price.price_monthly, count) }
}

function monthlyLine(what: Line['what'], detail: string, count: number, price: Amount): Line {
  return { what, detail, count, hourly: null, monthly: multiple(price, count) }
}

function multiple({ net, gross }: Amount, count: number): Amount {
  return { net: times(net, count), gross: times(gross, count) }
}

function total(amounts: readonly Amount[]): Amount {
  return { net: sum(amounts.map(({ net }) => net)), gross: sum(amounts.map(({ gross }) => gross)) }
}
