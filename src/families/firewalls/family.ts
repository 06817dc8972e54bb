/** Firewalls as a family: their endpoints, their actions and what answers them. */

import { defineFamily } from '../../platform.ts'
import { firewallActions } from './actions.ts'
import { firewallChanges } from './changes.ts'
import { firewallEndpoints } from './contract.ts'
import { filters } from './desired.ts'
import { firewallRoutes } from './routes.ts'
import { getFirewall, limitedFirewalls } from './store.ts'
import { firewallLocks } from './tables.ts'

export const firewalls = defineFamily({
  name: 'firewalls',
  changes: firewallChanges,
  endpoints: firewallEndpoints,
  routes: firewallRoutes,
  limited: [limitedFirewalls],
  locks: firewallLocks,
  resources: {
    type: 'firewall',
    find: ({ db }, scope, id) => getFirewall(db.query, scope, id as number),
  },
  actions: firewallActions,
  desired: [filters],
})
