/** Networks as the API shows them. */
import type { Static } from 'typebox'
import type { Network as Wire } from './contract.ts'
import { type Network, subnetGateway } from './domain.ts'

/** A network as the API shows it. */
export function networkToWire(network: Network): Static<typeof Wire> {
  const { id, name, ipRange, subnets, routes, isProtected, labels, created, exposesRoutes } = network
  return {
    id,
    name,
    ip_range: ipRange,
    subnets: subnets.map((subnet) => ({
      type: subnet.type,
      ip_range: subnet.ipRange,
      network_zone: subnet.networkZone,
      gateway: subnetGateway(network, subnet),
      vswitch_id: subnet.vswitchId,
    })),
    routes: routes.map(({ destination, gateway }) => ({ destination, gateway })),
    servers: [],
    load_balancers: [],
    protection: { delete: isProtected },
    labels,
    created,
    expose_routes_to_vswitch: exposesRoutes,
  }
}
