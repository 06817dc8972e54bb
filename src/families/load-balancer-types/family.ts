/** The family of types of Load Balancers. */
import { deprecationsIn } from '../../catalogue/deprecations.ts'
import { defineFamily } from '../../platform.ts'
import { loadBalancerTypeChanges } from './changes.ts'
import { loadBalancerTypeEndpoints, spelling } from './contract.ts'
import { loadBalancerTypeRoutes } from './routes.ts'

export const loadBalancerTypes = defineFamily({
  spelling,
  changes: loadBalancerTypeChanges,
  events: async ({ catalogue }, ...asked) => deprecationsIn(spelling.type, catalogue.load_balancer_types, ...asked),
  endpoints: loadBalancerTypeEndpoints,
  routes: loadBalancerTypeRoutes,
})
