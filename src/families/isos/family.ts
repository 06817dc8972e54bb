import { defineFamily } from '../../platform.ts'
import { isoChanges } from './changes.ts'
import { isoEndpoints } from './contract.ts'
import { isoRoutes } from './routes.ts'

export const isos = defineFamily({
  name: 'isos',
  changes: isoChanges,
  endpoints: isoEndpoints,
  routes: isoRoutes,
})
