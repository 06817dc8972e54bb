/** The family of types of Storage Boxes, which has only its list yet. */
import { defineFamily } from '../../platform.ts'
import { storageBoxTypeEndpoints } from './contract.ts'
import { storageBoxTypeRoutes } from './routes.ts'

export const storageBoxTypes = defineFamily({
  name: 'storage_box_types',
  endpoints: storageBoxTypeEndpoints,
  routes: storageBoxTypeRoutes,
})
