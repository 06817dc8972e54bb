/** The family of networks. */
import { byId, defineFamily } from '../../platform.ts'
import { networkActions } from './actions.ts'
import { networkChanges } from './changes.ts'
import { networkEndpoints } from './contract.ts'
import { state } from './desired.ts'
import { memberActions } from './members/actions.ts'
import { memberEndpoints } from './members/contract.ts'
import { interfaces } from './members/desired.ts'
import { memberLimit } from './members/domain.ts'
import { memberRoutes } from './members/routes.ts'
import { networkRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { networks as resource } from './store.ts'
import { networkLocks } from './tables.ts'

export const networks = defineFamily({
  spelling: resource,
  changes: networkChanges,
  seed,
  endpoints: { ...networkEndpoints, ...memberEndpoints },
  routes: (platform) => ({ ...networkRoutes(platform), ...memberRoutes(platform) }),
  limited: [resource, memberLimit],
  locks: networkLocks,
  resources: byId(resource),
  actions: [...networkActions, ...memberActions],
  desired: [state, interfaces],
})
