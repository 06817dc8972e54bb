/** Simulated routes: the Floating IPs of each server. */
import type { RoutingDriver, RoutingState } from '../../families/floating-ips/driver.ts'
import { simulateMemory } from './memory.ts'
import { simulatePackets } from './packets.ts'
import { simulateServers } from './servers.ts'
import { keptMap, type Share, type Site } from './simulation.ts'

/** Creates the driver of routes. */
export function simulateFloatingIps(site: Site) {
  const routes = keptMap<number, RoutingState>(site, 'routes')
  const generations = site.part(simulateMemory).generations('routes')
  const packets = site.part(simulatePackets)
  site.part(simulateServers).onRemoval((id) => routes.delete(id))

  const put = (state: RoutingState, share: Share) => {
    const { serverId, generation } = state
    if (!generations.admits(serverId, generation, routes.has(serverId))) return
    const isNewer = generations.isNewer(serverId, generation)
    if (share === 'all') generations.see(serverId, generation)
    const wanted = share === 'all' ? state.ips : state.ips.slice(0, 1)
    const kept = (routes.get(serverId)?.ips ?? []).filter((ip) => state.leaving?.includes(ip))
    const others = [...routes.values()].filter((other) => other.serverId !== serverId)
    const ips = wanted.filter((ip) => isNewer || !others.some((other) => other.ips.includes(ip)))
    for (const other of others) if (other.ips.some((ip) => ips.includes(ip))) lead(other, without(other.ips, ips))
    lead(state, [...new Set([...ips, ...kept])])
  }

  const lead = (state: RoutingState, ips: readonly string[]) => {
    routes.set(state.serverId, { ...state, ips })
    packets.route(state.serverId, ips)
  }

  const driver: RoutingDriver = {
    apply: (state) =>
      site.perform({ driver: 'routing', method: 'apply', subject: state.serverId }, (share) => put(state, share)),
  }
  return { drivers: { routing: driver }, world: { routes: routes as ReadonlyMap<number, RoutingState> } }
}

const without = (ips: readonly string[], taken: readonly string[]) => ips.filter((ip) => !taken.includes(ip))
