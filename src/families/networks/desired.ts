/** What the infrastructure is to do for a network: all that is desired of it is handed to the driver at once. */
import { defineDesired } from '../../kernel/resource/desired.ts'
import { type Network, subnetGateway } from './domain.ts'
import type { NetworkShape } from './driver.ts'
import { networks } from './store.ts'

export const state = defineDesired({
  table: 'network_state',
  title: 'networks',
  target: 'network',
  seenAs: 'networks',
  async handOver({ query, scope, drivers }, id, generation) {
    const network = await networks.find(query, scope, id)
    await drivers.networks.apply({ id, generation, shape: network ? toShape(network) : null })
    return { isGone: network === undefined }
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
