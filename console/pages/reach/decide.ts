/**
 * The packets that firewalls let through, decided in the browser by the functions that the packet filter is made of.
 * Pure.
 */
import { type Decision, decide, type End } from '../../../src/families/firewalls/decisions.ts'
import { type Protocol, parsePorts, type Rule } from '../../../src/families/firewalls/domain.ts'
import { addressAt, cidrContains, parseAddress, parseCidr } from '../../../src/protocols/net/ip.ts'
import { privateUse } from '../../../src/protocols/net/private-networks.ts'
import { type Applied, serverIdsOf } from '../../families/firewalls/applied.ts'
import type { Content } from '../../families/firewalls/draft.ts'
import { contentOf } from '../../families/firewalls/draft.ts'
import type { Rule as ShownRule } from '../../families/firewalls/rule.ts'

/** The part of a server used here. */
export interface Server {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly public_net: { readonly ipv4: { readonly ip: string } | null; readonly ipv6: { readonly ip: string } | null }
  readonly private_net: readonly {
    readonly network: number
    readonly ip: string
    readonly alias_ips: readonly string[]
  }[]
}

/** The part of a firewall used here. */
export interface Firewall extends Applied {
  readonly id: number
  readonly name: string
  readonly rules: readonly ShownRule[]
}

/** A rule that is in force on a server, or will be. */
export interface EffectiveRule {
  readonly firewall: { readonly id: number; readonly name: string }
  /** The place from 1, among the rules of its firewall. */
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

/** A server, by the one of its addresses that is asked for, or by any. */
export interface ServerPlace {
  readonly kind: 'server'
  readonly server: Server
  readonly address?: string
}

/** The source of packets: anybody, a server, or an address outside. */
export type Source =
  | { readonly kind: 'internet' }
  | ServerPlace
  | { readonly kind: 'address'; readonly address: string }

interface Question {
  readonly from: Source
  readonly to: ServerPlace
  readonly protocol: Protocol
  readonly port: number | null
}

export type Answer =
  | { readonly isReachable: true; readonly by: 'private'; readonly network: number }
  | { readonly isReachable: true; readonly by: 'rule'; readonly rule: EffectiveRule; readonly isIpv6: boolean }
  | { readonly isReachable: true; readonly by: 'nothing'; readonly isIpv6: boolean }
  | { readonly isReachable: false; readonly by: 'power'; readonly server: Server }
  | { readonly isReachable: false; readonly by: 'address' }
  /** Only a network that both are in would lead to this address, or from it. */
  | { readonly isReachable: false; readonly by: 'private'; readonly address: string }
  | { readonly isReachable: false; readonly by: 'outbound'; readonly server: Server }
  | { readonly isReachable: false; readonly by: 'inbound'; readonly firewalls: readonly FirewallRules[] }

/** Returns whether the first packet of a connection would arrive, and what decides it. */
export function answer({ from, to, protocol, port }: Question, { firewalls }: World): Answer {
  const source = from.kind === 'server' ? from : undefined
  const off = [source?.server, to.server].find((server) => server !== undefined && server.status !== 'running')
  if (off) return { isReachable: false, by: 'power', server: off }
  const network = source && sharedNetwork(source, to)
  if (network !== undefined) return { isReachable: true, by: 'private', network }
  const hidden = privateAddressOf(from) ?? privateAddressOf(to)
  if (hidden !== undefined) return { isReachable: false, by: 'private', address: hidden }
  const own = firewallsOf(to.server, firewalls)
  const target = endOf(to, own)
  const sources: readonly End[] = source
    ? [endOf(source, firewallsOf(source.server, firewalls))]
    : addressesOf(from, own).map((address) => ({ server: null, address }))
  const sides = { source: source?.server, to, own }
  const answers = sources.map((end) => toAnswer(decide(end, target, { protocol, port }), sides))
  return answers.find(({ isReachable }) => isReachable) ?? answers.find(({ by }) => by !== 'address') ?? answers[0]!
}

/** The network by which a server reaches another one: both have a place there, at the addresses that are asked for. */
function sharedNetwork(from: ServerPlace, to: ServerPlace): number | undefined {
  const theirs = networksAt(to)
  return networksAt(from).find((network) => theirs.includes(network))
}

function networksAt({ server, address }: ServerPlace): readonly number[] {
  if (address !== undefined && hasPublic(server, address)) return []
  const places = server.private_net.filter(({ ip, alias_ips }) => !address || [ip, ...alias_ips].includes(address))
  return places.map(({ network }) => network)
}

/** The address that is asked for, if it is one that the Internet does not lead to. */
function privateAddressOf(end: Source): string | undefined {
  if (end.kind === 'internet' || end.address === undefined) return undefined
  const { address } = end
  const isPrivate =
    end.kind === 'server' ? !hasPublic(end.server, address) : privateUse.some((range) => cidrContains(range, address))
  return isPrivate ? address : undefined
}

interface Sides {
  readonly source: Server | undefined
  readonly to: ServerPlace
  readonly own: readonly FirewallRules[]
}

function toAnswer({ reachable, by, direction, rule, way }: Decision, { source, to, own }: Sides): Answer {
  if (by === 'address') return { isReachable: false, by: 'address' }
  if (!reachable && direction === 'out' && source) return { isReachable: false, by: 'outbound', server: source }
  if (!reachable) return { isReachable: false, by: 'inbound', firewalls: own }
  const isIpv6 =
    to.address === undefined && way?.destination.includes(':') === true && to.server.public_net.ipv4 !== null
  const found = rule && direction === 'in' && own.find(({ id }) => id === rule.firewall.id)?.rules[rule.index]
  return found ? { isReachable: true, by: 'rule', rule: found, isIpv6 } : { isReachable: true, by: 'nothing', isIpv6 }
}

function endOf({ server, address }: ServerPlace, firewalls: readonly FirewallRules[]): End {
  const { ipv4, ipv6 } = server.public_net
  return {
    server: server.id,
    isOn: server.status === 'running',
    address,
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

/** Returns whether a network has all of another one. */
export function covers(network: string, part: string): boolean {
  const [outer, inner] = [parseCidr(network), parseCidr(part)]
  if (!outer.ok || !inner.ok || outer.family !== inner.family || outer.prefixLength > inner.prefixLength) return false
  return cidrContains(outer.cidr, addressAt(inner.cidr, 0n))
}

/** The addresses that packets of a server come from, each as a network of its own. */
export function publicNetworks({ public_net: { ipv4, ipv6 } }: Pick<Server, 'public_net'>): readonly string[] {
  return [...(ipv4 ? [`${ipv4.ip}/32`] : []), ...(ipv6 ? [`${addressAt(ipv6.ip, 1n)}/128`] : [])]
}

// ---- What an address says --------------------------------------------------------------------------------------------

/**
 * Both ends of a question, undefined where a text is none. Several servers may have a private address: then it is the
 * one that shares a network with the other end.
 */
export function readEnds(asked: { readonly from: string; readonly to: string }, servers: readonly Server[]) {
  const targets = readPlaces(asked.to, servers)
  const sources = readSources(asked.from, servers)
  const isNear = (from: Source, to: ServerPlace) => from.kind === 'server' && sharedNetwork(from, to) !== undefined
  const isOther = (from: Source, to: ServerPlace) => from.kind === 'server' && from.server.id !== to.server.id
  const from = sources.find((one) => targets.some((to) => isOther(one, to) && isNear(one, to))) ?? sources[0]
  return { from, to: targets.find((to) => from && isNear(from, to)) ?? targets[0] }
}

/** `internet`, `server:ID`, the name of a server or an address. */
function readSources(text: string, servers: readonly Server[]): readonly Source[] {
  if (/^(internet|any)$/i.test(text.trim())) return [{ kind: 'internet' }]
  const places = readPlaces(text, servers)
  const alone = parseAddress(text.trim())
  return places.length === 0 && alone.ok ? [{ kind: 'address', address: alone.address }] : places
}

/** A server by `server:ID` or its name; or all that have an address, which are several if it is a private one. */
function readPlaces(text: string, servers: readonly Server[]): readonly ServerPlace[] {
  const asked = text.trim()
  const id = Number(/^server:(\d+)$/.exec(asked)?.[1])
  const named = servers.find((server) => server.id === id || server.name === asked)
  if (named) return [{ kind: 'server', server: named }]
  const parsed = parseAddress(asked)
  if (!parsed.ok) return []
  const { address } = parsed
  const place = (server: Server): ServerPlace => ({ kind: 'server', server, address })
  const owner = servers.find((server) => hasPublic(server, address))
  return owner ? [place(owner)] : servers.map(place).filter((one) => networksAt(one).length > 0)
}

function hasPublic({ public_net: { ipv4, ipv6 } }: Server, address: string): boolean {
  return ipv4?.ip === address || (ipv6 !== null && cidrContains(ipv6.ip, address))
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
