/** The family of Storage Boxes, which has only its list yet. */
import { defineFamily } from '../../platform.ts'
import { spelling, storageBoxEndpoints } from './contract.ts'
import { storageBoxRoutes } from './routes.ts'

export const storageBoxes = defineFamily({
  spelling,
  endpoints: storageBoxEndpoints,
  routes: storageBoxRoutes,
})
