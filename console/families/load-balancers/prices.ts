import type { ItemOf } from '../../api/api.ts'
import { hourlyLines, type Priced } from '../pricing/lines.ts'

export const prices: Priced<ItemOf<'load_balancers_list'>> = {
  titles: { load_balancer: { en: 'Load Balancers', de: 'Load Balancer' } },
  linesOf: ({ load_balancer_type: { name }, location }, { load_balancer_types: types }) =>
    hourlyLines('load_balancer', { type: name, location: location.name }, types),
}
