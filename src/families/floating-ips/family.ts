/** The family of Floating IPs. */
import { defineFamily } from '../../platform.ts'
import { floatingIpActions } from './actions.ts'
import { routingChore } from './chores.ts'
import { floatingIpEndpoints } from './contract.ts'
import { floatingIpRoutes } from './routes.ts'
import { getFloatingIp, limitedFloatingIps } from './store.ts'

export const floatingIps = defineFamily({
  name: 'floating_ips',
  endpoints: floatingIpEndpoints,
  routes: floatingIpRoutes,
  chores: [routingChore],
  limited: [limitedFloatingIps],
  resources: {
    type: 'floating_ip',
    actions: floatingIpActions,
    exists: ({ db }, scope, id) => getFloatingIp(db.query, scope, id),
  },
})
