/** The costs of Primary IPs. */
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Costs, Rates } from '../../platform.ts'
import { primaryIpsByPrice } from './host.ts'
import type { PrimaryIpRow } from './tables.ts'

function priceAt(catalogue: Catalogue, type: PrimaryIpRow['type'], location: number) {
  const place = catalogue.locationById(location)?.name
  const prices = catalogue.pricing.primary_ips.find((list) => list.type === type)?.prices
  return prices?.find((price) => price.location === place)
}

export const primaryIpCosts: Costs = async ({ db, catalogue }, ids) => {
  const rows = await primaryIpsByPrice(db.query, ids)
  return rows.map(({ project_id: projectId, type, location, count }) => {
    return { projectId, monthly: priceAt(catalogue, type, location)?.price_monthly, count: Number(count) }
  })
}

export const primaryIpRates: Rates<PrimaryIpRow> = ({ catalogue }, { type, location }) => {
  const price = priceAt(catalogue, type, location)
  return price ? [{ hourly: price.price_hourly.net, monthly: price.price_monthly.net }] : []
}
