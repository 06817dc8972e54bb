/** The family of types of Load Balancers. */
import { defineFamily } from '../../platform.ts'
import { loadBalancerTypeChanges } from './changes.ts'
import { loadBalancerTypeEndpoints } from './contract.ts'
import { loadBalancerTypeRoutes } from './routes.ts'

export const loadBalancerTypes = defineFamily({
  name: 'load_balancer_types',
  changes: loadBalancerTypeChanges,
  endpoints: loadBalancerTypeEndpoints,
  routes: loadBalancerTypeRoutes,
})
