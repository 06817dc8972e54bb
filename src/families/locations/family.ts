import { defineFamily } from '../../platform.ts'
import { locationChanges } from './changes.ts'
import { locationEndpoints, spelling } from './contract.ts'
import { locationRoutes } from './routes.ts'

export const locations = defineFamily({
  spelling,
  changes: locationChanges,
  endpoints: locationEndpoints,
  routes: locationRoutes,
})
