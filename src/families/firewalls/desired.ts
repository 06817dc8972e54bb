/** The packet filter of a server: all its firewalls are handed to the driver as one filter. */
import { defineDesired } from '../../kernel/resource/desired.ts'
import { firewallRulesOf } from './applications/store.ts'
import { toFilter } from './domain.ts'

export const filters = defineDesired({
  table: 'firewall_filter',
  title: 'packet filters',
  target: 'server',
  async handOver({ query, scope, drivers }, serverId, generation) {
    const firewalls = await firewallRulesOf(query, scope, serverId)
    await drivers.firewalls.apply({ serverId, generation, ...toFilter(firewalls) })
  },
})
