/** The packet filter of a server: all its firewalls are handed to the driver as one filter. */
import { type Desired, defineDesired } from '../../kernel/resource/desired.ts'
import { firewallRulesOf } from './applications/store.ts'
import { toFilter } from './domain.ts'

export const filters: Desired = defineDesired({
  table: 'firewall_filter',
  title: 'packet filters',
  target: 'server',
  async enforce({ query, scope, drivers }, serverId) {
    const generation = await filters.generation(query, scope, serverId)
    if (generation === undefined) return undefined
    const firewalls = await firewallRulesOf(query, scope, serverId)
    await drivers.firewalls.apply({ serverId, generation, ...toFilter(firewalls) })
    return { generation }
  },
})
