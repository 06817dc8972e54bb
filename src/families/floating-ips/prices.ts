/** The costs of Floating IPs. */
import type { Costs } from '../../platform.ts'
import { floatingIpsByPrice } from './host.ts'

export const floatingIpCosts: Costs = async ({ db, catalogue }, ids) => {
  const rows = await floatingIpsByPrice(db.query, ids)
  return rows.map(({ project_id: projectId, type, location, count }) => {
    const place = catalogue.locationById(location)?.name
    const prices = catalogue.pricing.floating_ips.find((list) => list.type === type)?.prices
    const monthly = prices?.find((price) => price.location === place)?.price_monthly
    return { projectId, monthly, count: Number(count) }
  })
}
