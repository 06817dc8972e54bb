/** The price list as the API shows it, with what a dated change has not yet removed. */
import type { Static } from 'typebox'
import {
  type Catalogue,
  type LocationPrice,
  loadBalancerTypeIsListed,
  serverTypeIsListed,
  storageBoxTypeIsListed,
} from '../../catalogue/catalogue.ts'
import { priceOf } from '../../catalogue/prices.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { pricingChanges } from './changes.ts'
import type { Pricing } from './contract.ts'

type Wire = Static<typeof Pricing>

const nothing = priceOf('0')

/** The prices of everything that can be ordered at `now` (ms since the epoch). */
export function pricingToWire(catalogue: Catalogue, now: number): Wire {
  const { server_types, load_balancer_types, storage_box_types } = catalogue
  const { currency, vat_rate, image, volume, floating_ips, primary_ips, server_backup } = catalogue.pricing
  return {
    currency,
    vat_rate,
    image,
    volume,
    floating_ip: {
      price_monthly: floating_ips.find(({ type }) => type === 'ipv4')?.prices[0]?.price_monthly ?? nothing,
    },
    floating_ips: floating_ips.map(({ type, prices }) => ({ type, prices: [...prices] })),
    primary_ips: primary_ips.map(({ type, prices }) => ({ type, prices: [...prices] })),
    server_backup,
    server_types: server_types.filter((type) => serverTypeIsListed(type, now)).map(typePrices),
    load_balancer_types: load_balancer_types.filter((type) => loadBalancerTypeIsListed(type, now)).map(typePrices),
    storage_box_types: storage_box_types.filter((type) => storageBoxTypeIsListed(type, now)).map(typePrices),
    ...formerTraffic(server_types[0]?.prices[0], now),
  }
}

function typePrices<Price>({ id, name, prices }: { id: number; name: string; prices: readonly Price[] }) {
  return { id, name, prices: [...prices] }
}

/** Extra traffic while it had one price: null from August 2024 on, gone since November 2024. */
function formerTraffic(price: LocationPrice | undefined, now: number): Pick<Wire, 'traffic'> {
  if (inEffect(pricingChanges.pricing_traffic_removed, now)) return {}
  if (inEffect(pricingChanges.pricing_traffic_null, now)) return { traffic: null }
  return { traffic: { price_per_tb: price?.price_per_tb_traffic ?? nothing } }
}
