/** What a server has in networks, together with what it has to know of them. */
import type { Queries } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { subnetAround, subnetGateway } from '../domain.ts'
import { networks } from '../store.ts'
import { type MemberStatus, macOf } from './domain.ts'
import { placesOf } from './store.ts'

/** An interface of a server in a network, as the server itself sees it. */
export interface OwnInterface {
  readonly status: MemberStatus
  readonly ip: string
  readonly aliasIps: readonly string[]
  readonly mac: string
  readonly network: { readonly id: number; readonly name: string; readonly ipRange: string }
  readonly subnet: string
  readonly gateway: string
}

/** The private interfaces of a server, from the oldest. */
export async function interfacesOf(query: Queries, scope: ProjectScope, serverId: number): Promise<OwnInterface[]> {
  const places = await placesOf(query, scope, [serverId])
  const ids = places.map(({ networkId }) => networkId)
  const known = new Map((await networks.byIds(query, scope, ids)).map((network) => [network.id, network]))
  return places.flatMap(({ networkId, ip, aliasIps, status }) => {
    const network = known.get(networkId)
    const subnet = network && subnetAround(network.subnets, ip)
    if (!subnet) return []
    const gateway = subnetGateway(network, subnet)
    return [{ status, ip, aliasIps, mac: macOf(ip), network, subnet: subnet.ipRange, gateway }]
  })
}
