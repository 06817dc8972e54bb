/** Servers as a family: their endpoints, their actions and what answers them. */
import { defineFamily } from '../../platform.ts'
import { serverActions } from './actions.ts'
import { backupChore } from './backups.ts'
import { serverEndpoints } from './contract.ts'
import { diskActions } from './disk-actions.ts'
import { serverRoutes } from './routes.ts'
import { getServer, limitedServers } from './store.ts'

export const servers = defineFamily({
  name: 'servers',
  endpoints: serverEndpoints,
  routes: serverRoutes,
  chores: [backupChore],
  limited: [limitedServers],
  resources: {
    type: 'server',
    actions: [...serverActions, ...diskActions],
    exists: ({ db }, scope, id) => getServer(db.query, scope, id),
  },
})
