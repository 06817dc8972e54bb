/** Simulated packet filters, one for each server. */
import type { FilterState, FirewallDriver } from '../../families/firewalls/driver.ts'
import { simulateMemory } from './memory.ts'
import { simulatePackets } from './packets.ts'
import { simulateServers } from './servers.ts'
import { keptMap, type Share, type Site } from './simulation.ts'

/** Creates the driver of packet filters. */
export function simulateFirewalls(site: Site) {
  const filters = keptMap<number, FilterState>(site, 'filters')
  const generations = site.part(simulateMemory).generations('filters')
  const packets = site.part(simulatePackets)
  site.part(simulateServers).onRemoval((id) => filters.delete(id))

  const put = (state: FilterState, share: Share) => {
    const { serverId, generation } = state
    if (!generations.admits(serverId, generation, filters.has(serverId))) return
    if (share === 'all') generations.see(serverId, generation)
    const filter: FilterState = share === 'all' ? state : { ...state, inbound: { otherwise: 'drop', accept: [] } }
    filters.set(serverId, filter)
    packets.putFilter(serverId, filter)
  }

  const driver: FirewallDriver = {
    apply: (state) =>
      site.perform({ driver: 'firewalls', method: 'apply', subject: state.serverId }, (share) => put(state, share)),
  }
  return { drivers: { firewalls: driver }, world: { filters: filters as ReadonlyMap<number, FilterState> } }
}
