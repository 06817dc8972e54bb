/** Firewalls as a family: their endpoints, their actions and what answers them. */
import { defineFamily } from '../../platform.ts'
import { firewallActions } from './actions.ts'
import { filterChore } from './chores.ts'
import { firewallEndpoints } from './contract.ts'
import { firewallRoutes } from './routes.ts'
import { getFirewall, limitedFirewalls } from './store.ts'

export const firewalls = defineFamily({
  name: 'firewalls',
  endpoints: firewallEndpoints,
  routes: firewallRoutes,
  chores: [filterChore],
  limited: [limitedFirewalls],
  resources: {
    type: 'firewall',
    actions: firewallActions,
    exists: ({ db }, scope, id) => getFirewall(db.query, scope, id),
  },
})
