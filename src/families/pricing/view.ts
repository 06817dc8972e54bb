/** The price list as the API shows it, with what a dated change has not yet removed. */
import type { Static } from 'typebox'
import {
  type Catalogue,
  type LocationPrice,
  loadBalancerTypeIsListed,
  serverTypeIsListed,
} from '../../catalogue/catalogue.ts'
import { priceOf } from '../../catalogue/prices.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { locationPriceToWire } from '../server-types/reads.ts'
import { pricingChanges } from './changes.ts'
import type { Pricing } from './contract.ts'

type Wire = Static<typeof Pricing>

const nothing = priceOf('0')

/** The prices of everything that can be ordered at `now` (ms since the epoch). */
export function pricingToWire(catalogue: Catalogue, now: number): Wire {
  const { priceList, serverTypes, loadBalancerTypes } = catalogue
  const floatingIps = priceList.floatingIps.map(({ type, prices }) => ({
    type,
    prices: prices.map(({ location, priceMonthly }) => ({ location, price_monthly: priceMonthly })),
  }))
  return {
    currency: priceList.currency,
    vat_rate: priceList.vatRate,
    image: { price_per_gb_month: priceList.imagePerGbMonth },
    volume: { price_per_gb_month: priceList.volumePerGbMonth },
    floating_ip: {
      price_monthly: floatingIps.find(({ type }) => type === 'ipv4')?.prices[0]?.price_monthly ?? nothing,
    },
    floating_ips: floatingIps,
    primary_ips: priceList.primaryIps.map(({ type, prices }) => ({
      type,
      prices: prices.map(({ location, priceHourly, priceMonthly }) => {
        return { location, price_hourly: priceHourly, price_monthly: priceMonthly }
      }),
    })),
    server_backup: { percentage: priceList.serverBackupPercentage },
    server_types: serverTypes.filter((type) => serverTypeIsListed(type, now)).map(typePrices),
    load_balancer_types: loadBalancerTypes.filter((type) => loadBalancerTypeIsListed(type, now)).map(typePrices),
    ...formerTraffic(serverTypes[0]?.prices[0], now),
  }
}

function typePrices({ id, name, prices }: { id: number; name: string; prices: readonly LocationPrice[] }) {
  return { id, name, prices: prices.map(locationPriceToWire) }
}

/** Extra traffic while it had one price: null from August 2024 on, gone since November 2024. */
function formerTraffic(price: LocationPrice | undefined, now: number): Pick<Wire, 'traffic'> {
  if (inEffect(pricingChanges.pricing_traffic_removed, now)) return {}
  if (inEffect(pricingChanges.pricing_traffic_null, now)) return { traffic: null }
  return { traffic: { price_per_tb: price?.pricePerTbTraffic ?? nothing } }
}
