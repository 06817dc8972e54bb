/** The data plane finds targets at the addresses of servers, public ones and those in networks. */
import type { Queries } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { placesOf } from '../../networks/reads.ts'
import { primaryIpsOfServers } from '../../primary-ips/reads.ts'
import type { BalancerTarget } from '../driver.ts'
import { goesPrivate, type ResolvedTarget, serversBehind } from './domain.ts'

interface LookUp {
  readonly query: Queries
  readonly scope: ProjectScope
}

/** The address of a server: in a network, or with null the public one. Undefined when it has none there. */
export type ServerAddress = (server: number, network: number | null) => string | undefined

/** The addresses of the servers behind some targets, with one read of each kind for all of them. */
export async function addressesBehind(
  { query, scope }: LookUp,
  targets: readonly ResolvedTarget[],
): Promise<ServerAddress> {
  const behind = (usesPrivateIp: boolean) => serversBehind(targets.filter((one) => one.usesPrivateIp === usesPrivateIp))
  const [primaryIps, places] = await Promise.all([
    primaryIpsOfServers(query, scope, behind(false)),
    placesOf(query, scope, behind(true)),
  ])
  const found = new Map<string, string>()
  for (const { type, ip, serverId } of primaryIps) if (type === 'ipv4') found.set(`${serverId} in null`, ip)
  for (const { serverId, networkId, ip, status } of places) {
    // One that comes or goes is not reached there.
    if (status === 'ok' || status === 'updating') found.set(`${serverId} in ${networkId}`, ip)
  }
  return (server, network) => found.get(`${server} in ${network}`)
}

/**
 * Some targets of a Load Balancer by their addresses: each once, whatever led to it. Those that it cannot reach are not
 * among them. `network` is the one of the Load Balancer.
 */
export async function resolveTargets(
  lookUp: LookUp,
  targets: readonly ResolvedTarget[],
  network: number | null,
): Promise<BalancerTarget[]> {
  const reachable = targets.filter((target) => network !== null || !goesPrivate(target))
  const addressOf = await addressesBehind(lookUp, reachable)
  const all = reachable.flatMap((target): BalancerTarget[] => {
    const through = goesPrivate(target) ? network : null
    if (target.ip !== null) return [{ address: target.ip, server: null, network: through }]
    return serversBehind([target]).flatMap((server) => {
      const address = addressOf(server, through)
      return address === undefined ? [] : [{ address, server, network: through }]
    })
  })
  return [...new Map(all.map((one) => [one.address, one])).values()]
}
