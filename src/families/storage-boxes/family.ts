/** The family of Storage Boxes, which has only its list yet. */
import { defineFamily } from '../../platform.ts'
import { storageBoxEndpoints } from './contract.ts'
import { storageBoxRoutes } from './routes.ts'

export const storageBoxes = defineFamily({
  name: 'storage_boxes',
  endpoints: storageBoxEndpoints,
  routes: storageBoxRoutes,
})
