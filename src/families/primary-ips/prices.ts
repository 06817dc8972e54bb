/** The costs of Primary IPs. */
import type { Costs } from '../../platform.ts'
import { primaryIpsByPrice } from './host.ts'

export const primaryIpCosts: Costs = async ({ db, catalogue }, ids) => {
  const rows = await primaryIpsByPrice(db.query, ids)
  return rows.map(({ project_id: projectId, type, location, count }) => {
    const place = catalogue.locationById(location)?.name
    const prices = catalogue.pricing.primary_ips.find((list) => list.type === type)?.prices
    const monthly = prices?.find((price) => price.location === place)?.price_monthly
    return { projectId, monthly, count: Number(count) }
  })
}
