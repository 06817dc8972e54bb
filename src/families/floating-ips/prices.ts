/** The costs of Floating IPs. */
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { hourOf } from '../../catalogue/prices.ts'
import type { Costs, Rates } from '../../platform.ts'
import { floatingIpsByPrice } from './host.ts'
import type { FloatingIpRow } from './tables.ts'

function monthlyPrice(catalogue: Catalogue, type: FloatingIpRow['type'], location: number) {
  const place = catalogue.locationById(location)?.name
  const prices = catalogue.pricing.floating_ips.find((list) => list.type === type)?.prices
  return prices?.find((price) => price.location === place)?.price_monthly
}

export const floatingIpCosts: Costs = async ({ db, catalogue }, ids) => {
  const rows = await floatingIpsByPrice(db.query, ids)
  return rows.map(({ project_id: projectId, type, location, count }) => {
    return { projectId, monthly: monthlyPrice(catalogue, type, location), count: Number(count) }
  })
}

export const floatingIpRates: Rates<FloatingIpRow> = ({ catalogue }, { type, home_location: location }) => {
  const monthly = monthlyPrice(catalogue, type, location)
  return monthly ? [{ hourly: hourOf(monthly.net), monthly: monthly.net }] : []
}
