/** Servers as a family: their endpoints, their actions and what answers them. */
import { defineFamily } from '../../platform.ts'
import { serverActions } from './actions.ts'
import { serverEndpoints } from './contract.ts'
import { serverRoutes } from './routes.ts'
import { getServer } from './store.ts'

export const servers = defineFamily({
  name: 'servers',
  endpoints: serverEndpoints,
  routes: serverRoutes,
  resources: {
    type: 'server',
    actions: serverActions,
    exists: ({ db }, scope, id) => getServer(db.query, scope, id),
  },
})
