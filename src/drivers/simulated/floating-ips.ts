/** Simulated routes: the Floating IPs of each server. */
import type { RoutingDriver, RoutingState } from '../../families/floating-ips/driver.ts'
import { simulatePackets } from './packets.ts'
import { simulateServers } from './servers.ts'
import { Generations, type Share, type Site } from './simulation.ts'

/** Creates the driver of routes. */
export function simulateFloatingIps(site: Site) {
  const routes = new Map<number, RoutingState>()
  const generations = new Generations()
  const packets = site.part(simulatePackets)
  site.part(simulateServers).onRemoval((id) => routes.delete(id))

  const put = (state: RoutingState, share: Share) => {
    const { serverId, generation } = state
    if (!generations.admits(serverId, generation, routes.has(serverId))) return
    if (share === 'all') generations.see(serverId, generation)
    const ips = share === 'all' ? state.ips : state.ips.slice(0, 1)
    for (const [other, held] of routes) if (other !== serverId) lead(held, without(held.ips, ips))
    lead(state, ips)
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
