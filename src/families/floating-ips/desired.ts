/** Which Floating IPs lead to a server: all of them are handed to the driver as one set. */
import { defineDesired } from '../../kernel/resource/desired.ts'
import { floatingIpsOfServers } from './store.ts'

export const routing = defineDesired({
  table: 'floating_ip_routing',
  title: 'sets of Floating IPs',
  target: 'server',
  async handOver({ query, scope, drivers }, serverId, generation) {
    const ips = (await floatingIpsOfServers(query, scope, [serverId])).map(({ ip }) => ip)
    await drivers.routing.apply({ serverId, generation, ips })
  },
})
