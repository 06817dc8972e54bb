/** The family of types of Load Balancers. */
import { defineFamily } from '../../platform.ts'
import { loadBalancerTypeChanges } from './changes.ts'
import { loadBalancerTypeEndpoints, spelling } from './contract.ts'
import { loadBalancerTypeRoutes } from './routes.ts'

export const loadBalancerTypes = defineFamily({
  spelling,
  changes: loadBalancerTypeChanges,
  entries: ({ load_balancer_types }) => load_balancer_types,
  endpoints: loadBalancerTypeEndpoints,
  routes: loadBalancerTypeRoutes,
})
