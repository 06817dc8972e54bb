/** The family of Load Balancers. */
import { byId, defineFamily } from '../../platform.ts'
import { loadBalancerActions } from './actions.ts'
import { addressEndpoints } from './addresses/contract.ts'
import { addressRoutes } from './addresses/routes.ts'
import { loadBalancerChanges } from './changes.ts'
import { loadBalancerEndpoints } from './contract.ts'
import { state } from './desired.ts'
import { durations } from './durations.ts'
import { loadBalancerGauges } from './gauges.ts'
import { restoreDataPlane } from './jobs.ts'
import { metricEndpoints } from './metrics/contract.ts'
import { metricRoutes } from './metrics/routes.ts'
import { placeEndpoints } from './places/contract.ts'
import { placeRoutes } from './places/routes.ts'
import { loadBalancerCosts, loadBalancerRates } from './prices.ts'
import { loadBalancerRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { serviceEndpoints } from './services/contract.ts'
import { serviceRoutes } from './services/routes.ts'
import { loadBalancerStates } from './states.ts'
import { loadBalancers as resource } from './store.ts'
import { cookieSecrets, loadBalancerLocks } from './tables.ts'
import { targetEndpoints } from './targets/contract.ts'
import { targetRoutes } from './targets/routes.ts'

export const loadBalancers = defineFamily({
  spelling: resource,
  costs: loadBalancerCosts,
  rates: loadBalancerRates,
  states: loadBalancerStates,
  gauges: [loadBalancerGauges],
  changes: loadBalancerChanges,
  seed,
  endpoints: {
    ...loadBalancerEndpoints,
    ...serviceEndpoints,
    ...targetEndpoints,
    ...placeEndpoints,
    ...addressEndpoints,
    ...metricEndpoints,
  },
  routes: (platform, drivers) => ({
    ...loadBalancerRoutes(platform, drivers),
    ...serviceRoutes(platform),
    ...targetRoutes(platform),
    ...placeRoutes(platform),
    ...addressRoutes(platform),
    ...metricRoutes(platform, drivers),
  }),
  jobs: [{ name: 'restoreDataPlane', due: 'whenever', run: restoreDataPlane }],
  limited: [resource],
  locks: loadBalancerLocks,
  sealed: [cookieSecrets],
  resources: byId(resource),
  durations,
  actions: loadBalancerActions,
  desired: [state],
})
