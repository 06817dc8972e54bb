/** The sources of packets that rules let in, grouped as people name them: the Internet, a network, a server. Pure. */
import { parseCidr } from '../../../src/protocols/net/ip.ts'
import { internet } from '../../families/firewalls/rule.ts'
import type { Server } from '../../families/servers/server.ts'
import { covers, type EffectiveRule, publicNetworks } from './decide.ts'

export type SourceKind = 'internet' | 'network' | 'server' | 'addresses'

export interface SourceGroup {
  readonly key: string
  readonly kind: SourceKind
  /** The name of a server or a private network; absent for others. */
  readonly name?: string
  readonly networks: readonly string[]
  readonly rules: readonly EffectiveRule[]
}

/** A private network as far as its name matters. */
interface NamedNetwork {
  readonly id: number
  readonly name: string
  readonly ip_range: string
}

export interface Places {
  readonly servers: readonly Server[]
  readonly networks: readonly NamedNetwork[]
}

const order: Readonly<Record<SourceKind, number>> = { internet: 0, network: 1, server: 2, addresses: 3 }

/** The sources of inbound rules, or the destinations of outbound ones. */
export function groupsOf(rules: readonly EffectiveRule[], places: Places): readonly SourceGroup[] {
  const valid = rules.filter(({ content }) => content.networks.length > 0)
  const byNetworks = Map.groupBy(valid, ({ content }) => [...content.networks].sort().join(' '))
  const groups = [...byNetworks].map(([key, own]) => {
    const { networks } = own[0]!.content
    return { key, networks, rules: own, ...nameOf(networks, places) }
  })
  return groups.sort((a, b) => order[a.kind] - order[b.kind])
}

function nameOf(networks: readonly string[], { servers, networks: all }: Places): Pick<SourceGroup, 'kind' | 'name'> {
  if (networks.some((network) => internet.some((every) => every === network))) return { kind: 'internet' }
  const server = servers.find((one) => networks.every((network) => isOf(network, one)))
  if (server) return { kind: 'server', name: server.name }
  const [only] = networks
  const own = all.find(({ ip_range }) => networks.length === 1 && only !== undefined && covers(ip_range, only))
  return own ? { kind: 'network', name: own.name } : { kind: 'addresses' }
}

/** Returns whether a network has nothing but addresses of a server. */
function isOf(network: string, server: Server): boolean {
  const { ipv6 } = server.public_net
  const own = [...publicNetworks(server), ...(ipv6 ? [ipv6.ip] : []), ...server.private_net.map(({ ip }) => `${ip}/32`)]
  return parseCidr(network).ok && own.some((one) => covers(one, network))
}

/** Returns the port of a rule as a picture shows it. */
export function portText({ content: { protocol, port } }: EffectiveRule): string {
  if (protocol === 'icmp') return 'ping'
  if (protocol === 'tcp') return port === 'any' ? 'tcp' : port
  return port === '' || port === 'any' ? protocol : `${port}/${protocol}`
}
