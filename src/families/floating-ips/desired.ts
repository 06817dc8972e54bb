/** Which Floating IPs lead to a server: all of them are handed to the driver as one set. */
import { defineDesired } from '../../kernel/resource/desired.ts'
import { locationOfServer } from '../servers/reads.ts'
import { floatingIpsOfServers, floatingIpsOnTheirWay } from './store.ts'

export const routing = defineDesired({
  table: 'floating_ip_routing',
  title: 'sets of Floating IPs',
  target: 'server',
  seenAs: 'routes',
  async handOver({ query, scope, drivers, actionId }, serverId, generation) {
    const [location, all] = await Promise.all([
      locationOfServer(query, scope, serverId),
      floatingIpsOfServers(query, scope, [serverId]),
    ])
    if (location === undefined) return undefined
    // Asked afterwards, so that what has left the server meanwhile is among the one or the other.
    const leaving = await floatingIpsOnTheirWay(query, scope, serverId, actionId)
    await drivers.routing.apply({ serverId, location, generation, ips: all.map(({ ip }) => ip), leaving })
    return undefined
  },
})
