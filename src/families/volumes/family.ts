/** The family of volumes. */
import { byId, defineFamily } from '../../platform.ts'
import { volumeActions } from './actions.ts'
import { volumeEndpoints } from './contract.ts'
import { attaching, states } from './desired.ts'
import { durations } from './durations.ts'
import { volumeCosts, volumeRates } from './prices.ts'
import { volumeRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { volumes as resource } from './store.ts'
import { volumeLocks } from './tables.ts'

export const volumes = defineFamily({
  spelling: resource,
  costs: volumeCosts,
  seed,
  rates: volumeRates,
  endpoints: volumeEndpoints,
  routes: volumeRoutes,
  limited: [resource],
  locks: volumeLocks,
  resources: byId(resource),
  durations,
  actions: volumeActions,
  desired: [states, attaching],
})
