/** What Load Balancers cost. */
import type { ItemOf } from '../../api/api.ts'
import { hourlyLines, type Priced } from '../../lib/prices.ts'

export const prices: Priced<ItemOf<'load_balancers_list'>> = {
  linesOf: ({ load_balancer_type: { name }, location }, { load_balancer_types: types }) =>
    hourlyLines('load_balancer', { type: name, location: location.name }, types),
}
