/** Networks as the API shows them. */
import type { Static } from 'typebox'
import { written } from '../../kernel/contract/constant.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { KeptItems } from '../../kernel/data/kept.ts'
import { unpack } from '../../kernel/data/steps.ts'
import { mapInTurns } from '../../kernel/process/turns.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Network as Wire } from './contract.ts'
import { type Network, subnetGateway } from './domain.ts'
import { memberIdsOf } from './members/attachments.ts'
import type { MemberType } from './members/domain.ts'

/** A network as the API shows it, with the ids of who is in it. */
export function networkToWire(network: Network, members: Readonly<Record<MemberType, number[]>>): Static<typeof Wire> {
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
    servers: members.server,
    load_balancers: members.load_balancer,
    protection: { delete: isProtected },
    labels,
    created,
    expose_routes_to_vswitch: exposesRoutes,
  }
}

/** The wire forms of some networks, in order, with one read of each kind for what is in all of them. */
export async function networksToWire(query: Queries, scope: ProjectScope, some: readonly Network[]) {
  const ids = some.map(({ id }) => id)
  const members = await memberIdsOf(query, scope, ids)
  return mapInTurns(some, (network) =>
    networkToWire(network, {
      server: idsOf('server', network, members.server.get(network.id)),
      load_balancer: idsOf('load_balancer', network, members.load_balancer.get(network.id)),
    }),
  )
}

/** What networks show of their members of each kind. */
const shown = { server: keptIds(), load_balancer: keptIds() }

function keptIds() {
  return new KeptItems(({ ids }: { readonly id: number; readonly ids: string }) => written(unpack(ids), `[${ids}]`))
}

const idsOf = (type: MemberType, { id }: Network, ids = '') => (ids === '' ? [] : shown[type].of({ id, ids }))
