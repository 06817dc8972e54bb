/** The costs of Load Balancers. */
import type { Costs } from '../../platform.ts'
import { balancersByPrice } from './host.ts'

export const loadBalancerCosts: Costs = async ({ db, catalogue }, ids) => {
  const rows = await balancersByPrice(db.query, ids)
  return rows.map(({ project_id: projectId, load_balancer_type: type, location, count }) => {
    const place = catalogue.locationById(location)?.name
    const prices = catalogue.loadBalancerTypeById(type)?.prices
    const monthly = prices?.find((price) => price.location === place)?.price_monthly
    return { projectId, monthly, count: Number(count) }
  })
}
