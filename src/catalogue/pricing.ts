/** The built-in prices of what has no types; server-types.ts and load-balancer-types.ts have the others. */
import { type Location, type LocationPrice, type Price, type Pricing, type Region, regionOf } from './catalogue.ts'
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
    price_hourly: hourlyPriceOf(monthly),
    price_monthly: priceOf(monthly),
    included_traffic: includedTebibytes * tebibyte,
    price_per_tb_traffic: traffic[regionOf(location)],
  }
}

/** The built-in prices for some locations (spec: Pricing). */
export function pricingIn(places: readonly Location[]): Pricing {
  const locations = places.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    currency: 'EUR',
    vat_rate: vatRate,
    image: { price_per_gb_month: priceOf('0.0143') },
    volume: { price_per_gb_month: priceOf('0.0572') },
    server_backup: { percentage: '20.00' },
    floating_ips: versions.map((type) => ({
      type,
      prices: locations.map(({ name }) => ({ location: name, price_monthly: priceOf(addresses.floating[type]) })),
    })),
    primary_ips: versions.map((type) => ({
      type,
      prices: locations.map(({ name }) => ({
        location: name,
        price_hourly: hourlyPriceOf(addresses.primary[type]),
        price_monthly: priceOf(addresses.primary[type]),
      })),
    })),
  }
}
