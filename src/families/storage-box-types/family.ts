/** The family of types of Storage Boxes, which has only its list yet. */
import { defineFamily } from '../../platform.ts'
import { spelling, storageBoxTypeEndpoints } from './contract.ts'
import { storageBoxTypeRoutes } from './routes.ts'

export const storageBoxTypes = defineFamily({
  spelling,
  endpoints: storageBoxTypeEndpoints,
  routes: storageBoxTypeRoutes,
})
