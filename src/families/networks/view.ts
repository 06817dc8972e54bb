/** Networks as the API shows them. */
import type { Static } from 'typebox'
import type { Queries } from '../../kernel/data/db.ts'
import { mapInTurns } from '../../kernel/process/turns.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Network as Wire } from './contract.ts'
import { type Network, subnetGateway } from './domain.ts'
import { membersOf } from './members/attachments.ts'
import type { Member } from './members/domain.ts'

/** A network as the API shows it. */
export function networkToWire(network: Network, members: readonly Member[]): Static<typeof Wire> {
  const { id, name, ipRange, subnets, routes, isProtected, labels, created, exposesRoutes } = network
  const idsOf = (type: Member['type']) => members.filter((member) => member.type === type).map((member) => member.id)
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
    servers: idsOf('server'),
    load_balancers: idsOf('load_balancer'),
    protection: { delete: isProtected },
    labels,
    created,
    expose_routes_to_vswitch: exposesRoutes,
  }
}

/** The wire forms of some networks, in order, with one read of each kind for what is in all of them. */
export async function networksToWire(query: Queries, scope: ProjectScope, some: readonly Network[]) {
  const members = await membersOf(
    query,
    scope,
    some.map(({ id }) => id),
  )
  const byNetwork = Map.groupBy(members, ({ networkId }) => networkId)
  return mapInTurns(some, (network) => networkToWire(network, byNetwork.get(network.id) ?? []))
}
