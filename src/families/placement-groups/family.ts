import { defineFamily } from '../../platform.ts'
import { placementGroupEndpoints } from './contract.ts'
import { placementGroupRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { placementGroups as groups } from './store.ts'
import { placementGroupLocks } from './tables.ts'

export const placementGroups = defineFamily({
  spelling: groups,
  seed,
  endpoints: placementGroupEndpoints,
  routes: placementGroupRoutes,
  limited: [groups],
  locks: placementGroupLocks,
})
