/** The operations on Load Balancers, as the API has them. */
import type { addressEndpoints } from '../../../src/families/load-balancers/addresses/contract.ts'
import type { loadBalancerEndpoints } from '../../../src/families/load-balancers/contract.ts'
import type { metricEndpoints } from '../../../src/families/load-balancers/metrics/contract.ts'
import type { placeEndpoints } from '../../../src/families/load-balancers/places/contract.ts'
import type { serviceEndpoints } from '../../../src/families/load-balancers/services/contract.ts'
import type { targetEndpoints } from '../../../src/families/load-balancers/targets/contract.ts'
import type { ActionsOf } from '../../api/contract.ts'

export type Contract = typeof loadBalancerEndpoints &
  typeof serviceEndpoints &
  typeof targetEndpoints &
  typeof placeEndpoints &
  typeof addressEndpoints &
  typeof metricEndpoints &
  ActionsOf<'load_balancers'>
