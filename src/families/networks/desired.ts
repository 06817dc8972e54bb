/** What the infrastructure is to do for a network: all that is desired of it is handed to the driver at once. */
import { type Desired, defineDesired } from '../../kernel/resource/desired.ts'
import { type Network, subnetGateway } from './domain.ts'
import type { NetworkShape } from './driver.ts'
import { networks } from './store.ts'

export const state: Desired = defineDesired({
  table: 'network_state',
  title: 'networks',
  target: 'network',
  async enforce({ query, scope, drivers }, id) {
    const generation = await state.generation(query, scope, id)
    if (generation === undefined) return undefined
    const network = await networks.find(query, scope, id)
    await drivers.networks.apply({ id, generation, shape: network ? toShape(network) : null })
    return { generation, isGone: network === undefined }
  },
})

function toShape(network: Network): NetworkShape {
  const { ipRange, subnets, routes, exposesRoutes } = network
  return {
    ipRange,
    subnets: subnets.map((subnet) => ({
      ipRange: subnet.ipRange,
      networkZone: subnet.networkZone,
      gateway: subnetGateway(network, subnet),
      vswitchId: subnet.vswitchId,
    })),
    routes,
    exposesRoutes,
  }
}
