import { defineFamily } from '../../platform.ts'
import { datacenterChanges } from './changes.ts'
import { datacenterEndpoints } from './contract.ts'
import { datacenterRoutes } from './routes.ts'

export const datacenters = defineFamily({
  name: 'datacenters',
  changes: datacenterChanges,
  endpoints: datacenterEndpoints,
  routes: datacenterRoutes,
})
