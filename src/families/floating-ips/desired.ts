/** Which Floating IPs lead to a server: all of them are handed to the driver as one set. */
import { type Desired, defineDesired } from '../../kernel/resource/desired.ts'
import { floatingIpsOfServers } from './store.ts'

export const routing: Desired = defineDesired({
  table: 'floating_ip_routing',
  title: 'sets of Floating IPs',
  target: 'server',
  async enforce({ query, scope, drivers }, serverId) {
    const generation = await routing.generation(query, scope, serverId)
    if (generation === undefined) return undefined
    const ips = (await floatingIpsOfServers(query, scope, [serverId])).map(({ ip }) => ip)
    await drivers.routing.apply({ serverId, generation, ips })
    return { generation }
  },
})
