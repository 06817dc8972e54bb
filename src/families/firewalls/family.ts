/** The family of firewalls. */
import { byId, defineFamily } from '../../platform.ts'
import { firewallActions } from './actions.ts'
import { firewallChanges } from './changes.ts'
import { firewallEndpoints } from './contract.ts'
import { filters } from './desired.ts'
import { firewallRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { firewalls as resource } from './store.ts'
import { firewallLocks } from './tables.ts'

export const firewalls = defineFamily({
  spelling: resource,
  changes: firewallChanges,
  seed,
  endpoints: firewallEndpoints,
  routes: firewallRoutes,
  limited: [resource],
  locks: firewallLocks,
  resources: byId(resource),
  actions: firewallActions,
  desired: [filters],
})
