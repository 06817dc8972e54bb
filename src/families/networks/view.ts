/** Networks as the API shows them. */
import type { Static } from 'typebox'
import type { Queries } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Network as Wire } from './contract.ts'
import { type Network, subnetGateway } from './domain.ts'
import { membersOf } from './members/store.ts'

/** A network as the API shows it. */
export function networkToWire(network: Network, servers: readonly number[]): Static<typeof Wire> {
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
    servers: [...servers],
    load_balancers: [],
    protection: { delete: isProtected },
    labels,
    created,
    expose_routes_to_vswitch: exposesRoutes,
  }
}

/** The wire forms of some networks, in order, with one read for the servers in all of them. */
export async function networksToWire(query: Queries, scope: ProjectScope, some: readonly Network[]) {
  const members = await membersOf(
    query,
    scope,
    some.map(({ id }) => id),
  )
  const serversIn = Map.groupBy(members, ({ networkId }) => networkId)
  return some.map((network) =>
    networkToWire(
      network,
      (serversIn.get(network.id) ?? []).map(({ serverId }) => serverId),
    ),
  )
}
