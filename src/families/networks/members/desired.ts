/** The private interfaces of a server: all of them are handed to the driver as one set. */
import type { Queries } from '../../../kernel/data/db.ts'
import { defineDesired } from '../../../kernel/resource/desired.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { locationOfServer } from '../../servers/reads.ts'
import { subnetAround, subnetGateway } from '../domain.ts'
import { networks } from '../store.ts'
import { type MemberStatus, macOf } from './domain.ts'
import { placesOf } from './store.ts'

export const interfaces = defineDesired({
  table: 'network_interfaces',
  title: 'sets of private interfaces',
  target: 'server',
  seenAs: 'interfaces',
  async handOver({ query, scope, drivers }, serverId, generation) {
    const [location, all] = await Promise.all([
      locationOfServer(query, scope, serverId),
      interfacesOf(query, scope, serverId),
    ])
    if (location === undefined) return undefined
    const wanted = all
      .filter(({ status }) => status !== 'detaching')
      .map(({ network, ip, aliasIps, mac, subnet, gateway }) => {
        return { networkId: network.id, ip, aliasIps, mac, subnet, gateway }
      })
    await drivers.interfaces.apply({ serverId, location, generation, interfaces: wanted })
    return undefined
  },
})

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
