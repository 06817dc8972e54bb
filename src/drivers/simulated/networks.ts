/** Simulated private networks. */
import type {
  InterfacesDriver,
  InterfacesState,
  NetworkDriver,
  NetworkShape,
  NetworkState,
} from '../../families/networks/driver.ts'
import { simulateMemory } from './memory.ts'
import { simulatePackets } from './packets.ts'
import { simulateServers } from './servers.ts'
import { keptMap, type Share, type Site } from './simulation.ts'

/** Creates the driver of networks. */
export function simulateNetworks(site: Site) {
  const networks = keptMap<number, NetworkShape>(site, 'networks')
  const generations = site.part(simulateMemory).generations('networks')
  const interfaces = simulateInterfaces(site)
  const packets = site.part(simulatePackets)

  const put = ({ id, generation, shape }: NetworkState, share: Share) => {
    if (!generations.admits(id, generation, networks.has(id))) return
    if (share === 'all') generations.see(id, generation)
    if (!shape && share === 'half') return
    if (!shape) networks.delete(id)
    else networks.set(id, share === 'all' ? shape : { ...shape, subnets: shape.subnets.slice(0, 1), routes: [] })
    packets.putNetwork(id, networks.get(id) ?? null)
  }

  const driver: NetworkDriver = {
    apply: (state) =>
      site.perform({ driver: 'networks', method: 'apply', subject: state.id }, (share) => put(state, share)),
  }
  return {
    drivers: { networks: driver, interfaces: interfaces.driver },
    world: {
      networks: networks as ReadonlyMap<number, NetworkShape>,
      interfaces: interfaces.sets as ReadonlyMap<number, InterfacesState>,
    },
  }
}

/** The private interfaces of each server, which go with it. */
function simulateInterfaces(site: Site) {
  const sets = keptMap<number, InterfacesState>(site, 'interfaces')
  const generations = site.part(simulateMemory).generations('interfaces')
  const packets = site.part(simulatePackets)
  site.part(simulateServers).onRemoval((id) => sets.delete(id))

  const put = (state: InterfacesState, share: Share) => {
    const { serverId, generation } = state
    if (!generations.admits(serverId, generation, sets.has(serverId))) return
    if (share === 'all') generations.see(serverId, generation)
    const interfaces = share === 'all' ? state.interfaces : state.interfaces.slice(0, 1)
    sets.set(serverId, { ...state, interfaces })
    packets.place(serverId, interfaces)
  }

  const driver: InterfacesDriver = {
    apply: (state) =>
      site.perform({ driver: 'interfaces', method: 'apply', subject: state.serverId }, (share) => put(state, share)),
  }
  return { driver, sets }
}
