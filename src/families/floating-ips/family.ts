/** The family of Floating IPs. */

import { byId, defineFamily } from '../../platform.ts'
import { floatingIpActions } from './actions.ts'
import { floatingIpChanges } from './changes.ts'
import { floatingIpEndpoints } from './contract.ts'
import { routing } from './desired.ts'
import { floatingIpCosts, floatingIpRates } from './prices.ts'
import { floatingIpRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { floatingIps as resource } from './store.ts'
import { floatingIpLocks } from './tables.ts'

export const floatingIps = defineFamily({
  spelling: resource,
  costs: floatingIpCosts,
  rates: floatingIpRates,
  changes: floatingIpChanges,
  seed,
  endpoints: floatingIpEndpoints,
  routes: floatingIpRoutes,
  limited: [resource],
  locks: floatingIpLocks,
  resources: byId(resource),
  actions: floatingIpActions,
  desired: [routing],
})
