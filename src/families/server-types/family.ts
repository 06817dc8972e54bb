import { defineFamily } from '../../platform.ts'
import { serverTypeChanges } from './changes.ts'
import { serverTypeEndpoints, spelling } from './contract.ts'
import { serverTypeRoutes } from './routes.ts'

export const serverTypes = defineFamily({
  spelling,
  changes: serverTypeChanges,
  entries: ({ server_types }) => server_types,
  endpoints: serverTypeEndpoints,
  routes: serverTypeRoutes,
})
