import { deprecationsIn } from '../../catalogue/deprecations.ts'
import { defineFamily } from '../../platform.ts'
import { serverTypeChanges } from './changes.ts'
import { serverTypeEndpoints, spelling } from './contract.ts'
import { serverTypeRoutes } from './routes.ts'

export const serverTypes = defineFamily({
  spelling,
  changes: serverTypeChanges,
  events: async ({ catalogue }, ...asked) => deprecationsIn(spelling.type, catalogue.server_types, ...asked),
  endpoints: serverTypeEndpoints,
  routes: serverTypeRoutes,
})
