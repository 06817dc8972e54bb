/** The prices in a catalogue file, in the shape of the API (spec: Pricing). */
import { type Static, Type } from 'typebox'
import type { LocationPrice, PriceList } from './catalogue.ts'
import { Code, checkUnique, fail } from './file-entries.ts'

const Amount = Type.String({ pattern: '^\\d+(\\.\\d+)?$' })
const PriceEntry = Type.Object({ net: Amount, gross: Amount })

export const LocationPriceEntry = Type.Object({
  location: Code,
  price_hourly: PriceEntry,
  price_monthly: PriceEntry,
  included_traffic: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  price_per_tb_traffic: PriceEntry,
})

const AddressType = Type.Enum(['ipv4', 'ipv6'])
const MonthlyPriceEntry = Type.Object({ location: Code, price_monthly: PriceEntry })
const HourlyPriceEntry = Type.Object({ location: Code, price_hourly: PriceEntry, price_monthly: PriceEntry })
const PerGbMonth = Type.Object({ price_per_gb_month: PriceEntry })

export const PricingEntry = Type.Object({
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  vat_rate: Amount,
  image: PerGbMonth,
  volume: PerGbMonth,
  server_backup: Type.Object({ percentage: Amount }),
  floating_ips: Type.Array(Type.Object({ type: AddressType, prices: Type.Array(MonthlyPriceEntry) })),
  primary_ips: Type.Array(Type.Object({ type: AddressType, prices: Type.Array(HourlyPriceEntry) })),
})

/** Every price is of a location that there is, and each location is priced once. */
export function checkPricing(pricing: Static<typeof PricingEntry>, names: ReadonlySet<string>): void {
  for (const list of ['floating_ips', 'primary_ips'] as const) {
    for (const [index, { prices }] of pricing[list].entries()) {
      checkPlaces(prices, `pricing.${list}[${index}].prices`, names, 'there is no location')
    }
  }
  checkUnique(pricing.floating_ips, 'pricing.floating_ips', 'type', ({ type }) => type)
  checkUnique(pricing.primary_ips, 'pricing.primary_ips', 'type', ({ type }) => type)
}

type Places = readonly { readonly location: string }[]

/** Each of the named locations has one price, and no other has any; `otherwise` is what is said of those. */
export function checkEachPriced(prices: Places, path: string, names: ReadonlySet<string>, otherwise: string): void {
  checkPlaces(prices, path, names, otherwise)
  const priced = new Set(prices.map(({ location }) => location))
  const missing = [...names].find((name) => !priced.has(name))
  if (missing !== undefined) fail(path, `has no price for location ${JSON.stringify(missing)}`)
}

function checkPlaces(prices: Places, path: string, names: ReadonlySet<string>, otherwise: string): void {
  checkUnique(prices, path, 'location', ({ location }) => location)
  for (const [index, { location }] of prices.entries()) {
    if (!names.has(location)) fail(`${path}[${index}].location`, `${otherwise} ${JSON.stringify(location)}`)
  }
}

/** The price list of a file that was checked. */
export function parsePricing(entry: Static<typeof PricingEntry>): PriceList {
  return {
    currency: entry.currency,
    vatRate: entry.vat_rate,
    imagePerGbMonth: parseAmounts(entry.image.price_per_gb_month),
    volumePerGbMonth: parseAmounts(entry.volume.price_per_gb_month),
    serverBackupPercentage: entry.server_backup.percentage,
    floatingIps: entry.floating_ips.map(({ type, prices }) => ({
      type,
      prices: prices.map(({ location, price_monthly: monthly }) => ({ location, priceMonthly: parseAmounts(monthly) })),
    })),
    primaryIps: entry.primary_ips.map(({ type, prices }) => ({
      type,
      prices: prices.map(({ location, price_hourly: hourly, price_monthly: monthly }) => ({
        location,
        priceHourly: parseAmounts(hourly),
        priceMonthly: parseAmounts(monthly),
      })),
    })),
  }
}

/** The inverse of `parsePricing`. */
export function formatPricing(list: PriceList): Static<typeof PricingEntry> {
  return {
    currency: list.currency,
    vat_rate: list.vatRate,
    image: { price_per_gb_month: list.imagePerGbMonth },
    volume: { price_per_gb_month: list.volumePerGbMonth },
    server_backup: { percentage: list.serverBackupPercentage },
    floating_ips: list.floatingIps.map(({ type, prices }) => ({
      type,
      prices: prices.map(({ location, priceMonthly }) => ({ location, price_monthly: priceMonthly })),
    })),
    primary_ips: list.primaryIps.map(({ type, prices }) => ({
      type,
      prices: prices.map(({ location, priceHourly, priceMonthly }) => {
        return { location, price_hourly: priceHourly, price_monthly: priceMonthly }
      }),
    })),
  }
}

/** One price of a type in one location. */
export function parsePrice(entry: Static<typeof LocationPriceEntry>): LocationPrice {
  return {
    location: entry.location,
    priceHourly: parseAmounts(entry.price_hourly),
    priceMonthly: parseAmounts(entry.price_monthly),
    includedTraffic: entry.included_traffic,
    pricePerTbTraffic: parseAmounts(entry.price_per_tb_traffic),
  }
}

function parseAmounts({ net, gross }: Static<typeof PriceEntry>): Static<typeof PriceEntry> {
  return { net, gross }
}

/** The inverse of `parsePrice`. */
export function formatPrice(price: LocationPrice): Static<typeof LocationPriceEntry> {
  return {
    location: price.location,
    price_hourly: price.priceHourly,
    price_monthly: price.priceMonthly,
    included_traffic: price.includedTraffic,
    price_per_tb_traffic: price.pricePerTbTraffic,
  }
}
