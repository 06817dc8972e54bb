import { defineFamily } from '../../platform.ts'
import { serverTypeEndpoints } from './contract.ts'
import { serverTypeRoutes } from './routes.ts'

export const serverTypes = defineFamily({
  name: 'server_types',
  endpoints: serverTypeEndpoints,
  routes: serverTypeRoutes,
})
