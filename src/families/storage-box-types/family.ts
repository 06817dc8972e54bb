/** The family of types of Storage Boxes. */
import { storageBase } from '../../kernel/contract/bases.ts'
import { defineFamily } from '../../platform.ts'
import { spelling, storageBoxTypeEndpoints } from './contract.ts'
import { storageBoxTypeRoutes } from './routes.ts'

export const storageBoxTypes = defineFamily({
  spelling,
  otherBases: [storageBase],
  entries: ({ storage_box_types }) => storage_box_types,
  endpoints: storageBoxTypeEndpoints,
  routes: storageBoxTypeRoutes,
})
