/** The costs of Load Balancers. */
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Costs, Rates } from '../../platform.ts'
import { balancersByPrice } from './host.ts'
import type { LoadBalancerRow } from './tables.ts'

function priceAt(catalogue: Catalogue, type: number, location: number) {
  const place = catalogue.locationById(location)?.name
  return catalogue.loadBalancerTypeById(type)?.prices.find((price) => price.location === place)
}

export const loadBalancerCosts: Costs = async ({ db, catalogue }, ids) => {
  const rows = await balancersByPrice(db.query, ids)
  return rows.map(({ project_id: projectId, load_balancer_type: type, location, count }) => {
    return { projectId, monthly: priceAt(catalogue, type, location)?.price_monthly, count: Number(count) }
  })
}

export const loadBalancerRates: Rates<LoadBalancerRow> = ({ catalogue }, { load_balancer_type: type, location }) => {
  const price = priceAt(catalogue, type, location)
  return price ? [{ hourly: price.price_hourly.net, monthly: price.price_monthly.net }] : []
}
