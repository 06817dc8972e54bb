/** The family of the price list. */
import { defineFamily } from '../../platform.ts'
import { pricingChanges } from './changes.ts'
import { pricingEndpoints } from './contract.ts'
import { pricingRoutes } from './routes.ts'

export const pricing = defineFamily({
  name: 'pricing',
  changes: pricingChanges,
  endpoints: pricingEndpoints,
  routes: pricingRoutes,
})
