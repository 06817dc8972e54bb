import { deprecationsIn } from '../../catalogue/deprecations.ts'
import { defineFamily } from '../../platform.ts'
import { isoChanges } from './changes.ts'
import { isoEndpoints, spelling } from './contract.ts'
import { isoRoutes } from './routes.ts'

export const isos = defineFamily({
  spelling,
  changes: isoChanges,
  events: async ({ catalogue }, ...asked) => deprecationsIn(spelling.type, catalogue.isos, ...asked),
  endpoints: isoEndpoints,
  routes: isoRoutes,
})
