/**
 * What the firewalls of servers let through, decided in the browser by the functions that the packet filter is made of.
 * Pure.
 */
import { type Decision, decide, type End } from '../../../src/families/firewalls/decisions.ts'
import { type Protocol, parsePorts, type Rule } from '../../../src/families/firewalls/domain.ts'
import { addressAt, cidrContains, parseAddress, parseCidr } from '../../../src/net/ip.ts'
import type { Content } from '../firewalls/draft.ts'
import { contentOf } from '../firewalls/draft.ts'
import { type Firewall, serverIdsOf } from '../firewalls/firewall.ts'
import type { Server } from '../servers/server.ts'

/** A rule that is in force on a server, or will be. */
export interface EffectiveRule {
  readonly firewall: { readonly id: number; readonly name: string }
  /** From 1, among the rules of its firewall. */
  readonly place: number
  readonly content: Content
  /** Not applied yet. */
  readonly isNew: boolean
}

export interface FirewallRules {
  readonly id: number
  readonly name: string
  readonly rules: readonly EffectiveRule[]
}

function rulesOf({ id, name, rules }: Firewall): FirewallRules {
  const firewall = { id, name }
  return {
    ...firewall,
    rules: rules.map((rule, index) => ({ firewall, place: index + 1, content: contentOf(rule), isNew: false })),
  }
}

/** The firewalls of a server. */
export function firewallsOf(server: Pick<Server, 'id'>, firewalls: readonly Firewall[]): readonly FirewallRules[] {
  return firewalls.filter((firewall) => serverIdsOf(firewall).includes(server.id)).map(rulesOf)
}

// ---- From one place to another ---------------------------------------------------------------------------------------

export interface World {
  readonly servers: readonly Server[]
  readonly firewalls: readonly Firewall[]
}

/** Where packets come from: anybody, a server, or an address outside. */
type Source =
  | { readonly kind: 'internet' }
  | { readonly kind: 'server'; readonly server: Server }
  | { readonly kind: 'address'; readonly address: string }

interface Question {
  readonly from: Source
  readonly to: Server
  readonly protocol: Protocol
  readonly port: number | null
}

export type Answer =
  | { readonly isReachable: true; readonly by: 'private'; readonly network: number }
  | { readonly isReachable: true; readonly by: 'rule'; readonly rule: EffectiveRule; readonly isIpv6: boolean }
  | { readonly isReachable: true; readonly by: 'nothing'; readonly isIpv6: boolean }
  | { readonly isReachable: false; readonly by: 'power'; readonly server: Server }
  | { readonly isReachable: false; readonly by: 'address' }
  | { readonly isReachable: false; readonly by: 'outbound'; readonly server: Server }
  | { readonly isReachable: false; readonly by: 'inbound'; readonly firewalls: readonly FirewallRules[] }

/** Whether the first packet of a connection would arrive, and what decides it. */
export function answer({ from, to, protocol, port }: Question, { firewalls }: World): Answer {
  const source = from.kind === 'server' ? from.server : undefined
  const off = [source, to].find((server) => server !== undefined && server.status !== 'running')
  if (off) return { isReachable: false, by: 'power', server: off }
  const shared = source?.private_net.find(({ network }) => to.private_net.some((one) => one.network === network))
  if (shared) return { isReachable: true, by: 'private', network: shared.network }
  const own = firewallsOf(to, firewalls)
  const target = endOf(to, own)
  const sources: readonly End[] = source
    ? [endOf(source, firewallsOf(source, firewalls))]
    : addressesOf(from, own).map((address) => ({ server: null, address }))
  const answers = sources.map((end) => toAnswer(decide(end, target, { protocol, port }), { source, to, own }))
  return answers.find(({ isReachable }) => isReachable) ?? answers.find(({ by }) => by !== 'address') ?? answers[0]!
}

interface Sides {
  readonly source: Server | undefined
  readonly to: Server
  readonly own: readonly FirewallRules[]
}

function toAnswer({ reachable, by, direction, rule, way }: Decision, { source, to, own }: Sides): Answer {
  if (by === 'address') return { isReachable: false, by: 'address' }
  if (!reachable && direction === 'out' && source) return { isReachable: false, by: 'outbound', server: source }
  if (!reachable) return { isReachable: false, by: 'inbound', firewalls: own }
  const isIpv6 = way?.destination.includes(':') === true && to.public_net.ipv4 !== null
  const found = rule && direction === 'in' && own.find(({ id }) => id === rule.firewall.id)?.rules[rule.index]
  return found ? { isReachable: true, by: 'rule', rule: found, isIpv6 } : { isReachable: true, by: 'nothing', isIpv6 }
}

function endOf({ id, status, public_net: { ipv4, ipv6 } }: Server, firewalls: readonly FirewallRules[]): End {
  return {
    server: id,
    isOn: status === 'running',
    addresses: [...(ipv4 ? [ipv4.ip] : []), ...(ipv6 ? [ipv6.ip] : [])],
    firewalls: firewalls.map(({ id: firewall, name, rules }) => ({
      id: firewall,
      name,
      rules: rules.map(({ content }) => toRule(content)),
    })),
  }
}

function toRule({ direction, protocol, port, networks, description }: Content): Rule {
  const ips = networks.filter((network) => parseCidr(network).ok)
  return {
    direction,
    protocol,
    port: port.trim() === '' ? null : port.trim(),
    sourceIps: direction === 'in' ? ips : [],
    destinationIps: direction === 'in' ? [] : ips,
    description,
  }
}

/** Addresses of anybody, far from each other. */
const anybody: readonly (readonly string[])[] = [
  ['8.8.8.8', '93.184.215.14', '151.101.1.69', '203.0.114.9', '41.63.7.1'],
  ['2606:4700::6810:1', '2a00:1450:4001::1', '2400:cb00::1', '2001:503:ba3e::2:30'],
]

/** The addresses to ask for; for anybody those that no rule names by a narrower network, one of each family. */
function addressesOf(from: Source, firewalls: readonly FirewallRules[]): readonly string[] {
  if (from.kind === 'address') return [from.address]
  const named = firewalls
    .flatMap(({ rules }) => rules.flatMap(({ content }) => content.networks))
    .filter((network) => parseCidr(network).ok && !network.endsWith('/0'))
  return anybody.map((some) => some.find((one) => !named.some((network) => cidrContains(network, one))) ?? some[0]!)
}

/** Whether a network has all of another one. */
export function covers(network: string, part: string): boolean {
  const [outer, inner] = [parseCidr(network), parseCidr(part)]
  if (!outer.ok || !inner.ok || outer.family !== inner.family || outer.prefixLength > inner.prefixLength) return false
  return cidrContains(outer.cidr, addressAt(inner.cidr, 0n))
}

/** The addresses that packets of a server come from, each as a network of its own. */
export function publicNetworks({ public_net: { ipv4, ipv6 } }: Server): readonly string[] {
  return [...(ipv4 ? [`${ipv4.ip}/32`] : []), ...(ipv6 ? [`${addressAt(ipv6.ip, 1n)}/128`] : [])]
}

// ---- What an address says --------------------------------------------------------------------------------------------

/** `internet`, `server:ID`, the name of a server or an address; undefined when it is none. */
export function readSource(text: string, servers: readonly Server[]): Source | undefined {
  const asked = text.trim()
  if (/^(internet|any)$/i.test(asked)) return { kind: 'internet' }
  const server = readServer(asked, servers)
  if (server) return { kind: 'server', server }
  const alone = parseAddress(asked)
  return alone.ok ? { kind: 'address', address: alone.address } : undefined
}

/** A server by `server:ID`, its name, or one of its addresses. */
export function readServer(text: string, servers: readonly Server[]): Server | undefined {
  const asked = text.trim()
  const id = Number(/^server:(\d+)$/.exec(asked)?.[1])
  return servers.find((server) => server.id === id || server.name === asked || hasAddress(server, asked))
}

function hasAddress(server: Server, text: string): boolean {
  const parsed = parseAddress(text)
  if (!parsed.ok) return false
  const { ipv4, ipv6 } = server.public_net
  const own = [...(ipv4 ? [ipv4.ip] : []), ...server.private_net.flatMap(({ ip, alias_ips }) => [ip, ...alias_ips])]
  if (own.includes(parsed.address)) return true
  return ipv6 !== null && parsed.family === 6 && cidrContains(ipv6.ip, parsed.address)
}

/** `tcp/443`, `443`, `udp/53`, `icmp` or `ping`; undefined when it is none. */
export function readPort(text: string): { readonly protocol: Protocol; readonly port: number | null } | undefined {
  const asked = text.trim().toLowerCase()
  if (asked === 'icmp' || asked === 'ping') return { protocol: 'icmp', port: null }
  if (asked === 'esp' || asked === 'gre') return { protocol: asked, port: null }
  const [, protocol = 'tcp', digits = ''] = /^(?:(tcp|udp)[/ ])?(\d{1,5})$/.exec(asked) ?? []
  const ports = parsePorts(digits)
  return ports ? { protocol: protocol as Protocol, port: ports.first } : undefined
}
