/** The family of Primary IPs. */

import { byId, defineFamily } from '../../platform.ts'
import { releaseAddresses } from '../addresses/store.ts'
import { primaryIpActions } from './actions.ts'
import { primaryIpChanges } from './changes.ts'
import { primaryIpEndpoints } from './contract.ts'
import { primaryIpCosts, primaryIpRates } from './prices.ts'
import { primaryIpRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { primaryIps as resource } from './store.ts'
import { primaryIpLocks } from './tables.ts'

export const primaryIps = defineFamily({
  spelling: resource,
  costs: primaryIpCosts,
  rates: primaryIpRates,
  changes: primaryIpChanges,
  seed,
  endpoints: primaryIpEndpoints,
  routes: primaryIpRoutes,
  limited: [resource],
  locks: primaryIpLocks,
  resources: byId(resource),
  actions: primaryIpActions,
  // Those of other resources come from the same pool.
  withdraw: releaseAddresses,
})
