/** The packet filter of a server: all its firewalls are handed to the driver as one filter. */
import { defineDesired } from '../../kernel/resource/desired.ts'
import { locationOfServer } from '../servers/reads.ts'
import { firewallRulesOf } from './applications/store.ts'
import { toFilter } from './domain.ts'

export const filters = defineDesired({
  table: 'firewall_filter',
  title: 'packet filters',
  target: 'server',
  seenAs: 'filters',
  async handOver({ query, scope, drivers }, serverId, generation) {
    const [location, firewalls] = await Promise.all([
      locationOfServer(query, scope, serverId),
      firewallRulesOf(query, scope, serverId),
    ])
    if (location === undefined) return undefined
    await drivers.firewalls.apply({ serverId, location, generation, ...toFilter(firewalls) })
    return undefined
  },
})
