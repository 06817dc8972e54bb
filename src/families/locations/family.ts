import { defineFamily } from '../../platform.ts'
import { locationChanges } from './changes.ts'
import { locationEndpoints } from './contract.ts'
import { locationRoutes } from './routes.ts'

export const locations = defineFamily({
  name: 'locations',
  changes: locationChanges,
  endpoints: locationEndpoints,
  routes: locationRoutes,
})
