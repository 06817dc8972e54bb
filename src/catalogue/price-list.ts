/** The built-in prices of what has no types; server-types.ts and load-balancer-types.ts have the others. */
import { type Location, type LocationPrice, type Price, type PriceList, type Region, regionOf } from './catalogue.ts'
import { hourlyPriceOf, priceOf, vatRate } from './prices.ts'

const tebibyte = 2 ** 40

/** Net prices of extra traffic per TB. */
const traffic: Readonly<Record<Region, Price>> = {
  eu: priceOf('1.00'),
  us: priceOf('1.00'),
  sin: priceOf('7.40'),
}

const addresses = {
  floating: { ipv4: '3.00', ipv6: '1.00' },
  // An IPv6 network costs nothing as long as a server or load balancer has it.
  primary: { ipv4: '0.50', ipv6: '0' },
} as const

const versions = ['ipv4', 'ipv6'] as const

/** Returns the price of something in a location per month and hour, with its share of traffic in TiB. */
export function locationPriceOf(location: Location, monthly: string, includedTebibytes: number): LocationPrice {
  return {
    location: location.name,
    priceHourly: hourlyPriceOf(monthly),
    priceMonthly: priceOf(monthly),
    includedTraffic: includedTebibytes * tebibyte,
    pricePerTbTraffic: traffic[regionOf(location)],
  }
}

/** The built-in prices for some locations (spec: Pricing). */
export function priceListOf(places: readonly Location[]): PriceList {
  const locations = places.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    currency: 'EUR',
    vatRate,
    imagePerGbMonth: priceOf('0.0143'),
    volumePerGbMonth: priceOf('0.0572'),
    serverBackupPercentage: '20.00',
    floatingIps: versions.map((type) => ({
      type,
      prices: locations.map(({ name }) => ({ location: name, priceMonthly: priceOf(addresses.floating[type]) })),
    })),
    primaryIps: versions.map((type) => ({
      type,
      prices: locations.map(({ name }) => ({
        location: name,
        priceHourly: hourlyPriceOf(addresses.primary[type]),
        priceMonthly: priceOf(addresses.primary[type]),
      })),
    })),
  }
}
