/** The family of networks. */
import { byId, defineFamily } from '../../platform.ts'
import { networkActions } from './actions.ts'
import { networkChanges } from './changes.ts'
import { networkEndpoints } from './contract.ts'
import { state } from './desired.ts'
import { networkRoutes } from './routes.ts'
import { networks as resource } from './store.ts'
import { networkLocks } from './tables.ts'

export const networks = defineFamily({
  name: resource.path,
  changes: networkChanges,
  endpoints: networkEndpoints,
  routes: networkRoutes,
  limited: [resource],
  locks: networkLocks,
  resources: byId(resource),
  actions: networkActions,
  desired: [state],
})
