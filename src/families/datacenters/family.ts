import { defineFamily } from '../../platform.ts'
import { datacenterEndpoints } from './contract.ts'
import { datacenterRoutes } from './routes.ts'

export const datacenters = defineFamily({
  name: 'datacenters',
  endpoints: datacenterEndpoints,
  routes: datacenterRoutes,
})
