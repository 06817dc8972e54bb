/** The family of the price list. */
import { defineFamily } from '../../platform.ts'
import { pricingChanges } from './changes.ts'
import { pricingEndpoints, spelling } from './contract.ts'
import { pricingRoutes } from './routes.ts'

export const pricing = defineFamily({
  spelling,
  changes: pricingChanges,
  endpoints: pricingEndpoints,
  routes: pricingRoutes,
})
