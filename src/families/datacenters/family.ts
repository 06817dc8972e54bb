import { defineFamily } from '../../platform.ts'
import { datacenterChanges } from './changes.ts'
import { datacenterEndpoints, spelling } from './contract.ts'
import { datacenterRoutes } from './routes.ts'

export const datacenters = defineFamily({
  spelling,
  changes: datacenterChanges,
  endpoints: datacenterEndpoints,
  routes: datacenterRoutes,
})
