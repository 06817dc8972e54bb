/** Simulated private networks. */
import type { NetworkDriver, NetworkShape, NetworkState } from '../../families/networks/driver.ts'
import { Generations, type Share, type Site } from './simulation.ts'

/** Creates the driver of networks. */
export function simulateNetworks(site: Site) {
  const networks = new Map<number, NetworkShape>()
  const generations = new Generations()

  const put = ({ id, generation, shape }: NetworkState, share: Share) => {
    if (!generations.admits(id, generation, networks.has(id))) return
    if (share === 'all') generations.see(id, generation)
    if (shape) networks.set(id, share === 'all' ? shape : { ...shape, subnets: shape.subnets.slice(0, 1), routes: [] })
    else if (share === 'all') networks.delete(id)
  }

  const driver: NetworkDriver = {
    apply: (state) =>
      site.perform({ driver: 'networks', method: 'apply', subject: state.id }, (share) => put(state, share)),
  }
  return { drivers: { networks: driver }, world: { networks: networks as ReadonlyMap<number, NetworkShape> } }
}
