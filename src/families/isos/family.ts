import { defineFamily } from '../../platform.ts'
import { isoChanges } from './changes.ts'
import { isoEndpoints, spelling } from './contract.ts'
import { isoRoutes } from './routes.ts'

export const isos = defineFamily({
  spelling,
  changes: isoChanges,
  entries: ({ isos }) => isos,
  endpoints: isoEndpoints,
  routes: isoRoutes,
})
