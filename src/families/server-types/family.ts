import { defineFamily } from '../../platform.ts'
import { serverTypeChanges } from './changes.ts'
import { serverTypeEndpoints } from './contract.ts'
import { serverTypeRoutes } from './routes.ts'

export const serverTypes = defineFamily({
  name: 'server_types',
  changes: serverTypeChanges,
  endpoints: serverTypeEndpoints,
  routes: serverTypeRoutes,
})
