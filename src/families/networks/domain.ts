/** Private networks: which ranges, subnets and routes fit together. Pure (spec: Networks). */
import type { Labels } from '../../kernel/contract/labels.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { numberOfIpv4, parseAddress, parseCidr } from '../../protocols/net/ip.ts'
import { privateUse } from '../../protocols/net/private-networks.ts'

export const subnetTypes = ['cloud', 'server', 'vswitch'] as const
export type SubnetType = (typeof subnetTypes)[number]

export const mostSubnets = 50
export const mostRoutes = 100

export interface Subnet {
  readonly type: SubnetType
  readonly ipRange: string
  readonly networkZone: string
  readonly vswitchId: number | null
}

export interface Route {
  readonly destination: string
  readonly gateway: string
}

/** What the infrastructure makes of a network. Ranges and addresses are canonical. */
export interface Topology {
  readonly ipRange: string
  readonly subnets: readonly Subnet[]
  readonly routes: readonly Route[]
}

export interface Network extends Topology {
  readonly id: number
  readonly name: string
  /** What the network goes back to if the change that is under way fails. */
  readonly former: Topology | null
  readonly exposesRoutes: boolean
  readonly labels: Labels
  readonly isProtected: boolean
  readonly created: string
  readonly version: number
}

// ---- Addresses as numbers ------------------------------------------------------------------------------------------

/** The first and the last address of an IPv4 range. */
export interface Span {
  readonly first: number
  readonly last: number
}

const toAddress = (value: number) => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join('.')

function spanOf(cidr: string): Span {
  const [address = '', prefixLength] = cidr.split('/')
  const first = numberOfIpv4(address)
  return { first, last: first + 2 ** (32 - Number(prefixLength)) - 1 }
}

const meet = (a: Span, b: Span) => a.first <= b.last && b.first <= a.last
const holds = (outer: Span, inner: Span) => outer.first <= inner.first && inner.last <= outer.last
/** Whether a range holds an IPv4 address. */
export const holdsAddress = (cidr: string, address: string) => {
  const at = numberOfIpv4(address)
  return holds(spanOf(cidr), { first: at, last: at })
}

/** The spans of those subnets that have one of some ranges. */
export const spansOf = ({ subnets }: Pick<Topology, 'subnets'>, ranges: readonly string[]): Span[] =>
  subnets.filter(({ ipRange }) => ranges.includes(ipRange)).map(({ ipRange }) => spanOf(ipRange))

/** Whether two ranges have an address in common. */
export const overlap = (a: string, b: string) => meet(spanOf(a), spanOf(b))

const privateRanges = privateUse.map(spanOf)
const everywhere = '0.0.0.0/0'
/** The gateway of the public interface of every server. */
const publicGateway = '172.31.1.1'

/** The second address of a range, which its gateway has. */
const gatewayOf = (cidr: string) => toAddress(spanOf(cidr).first + 1)

/** A vSwitch has a gateway of its own; all other subnets share that of the network. */
export function subnetGateway(network: Pick<Topology, 'ipRange'>, subnet: Subnet): string {
  return gatewayOf(subnet.type === 'vswitch' ? subnet.ipRange : network.ipRange)
}

/** Finds the subnet that holds an address, for many addresses. */
export function subnetFinder(subnets: readonly Subnet[]): (address: number) => Subnet | undefined {
  const spans = subnets.map((subnet) => ({ subnet, ...spanOf(subnet.ipRange) }))
  return (address) => spans.find(({ first, last }) => first <= address && address <= last)?.subnet
}

/** The subnet that holds an address. */
export const subnetAround = (subnets: readonly Subnet[], address: string) =>
  subnetFinder(subnets)(numberOfIpv4(address))

/** What no server of a subnet can have: the addresses of gateways, and the first and the last one. */
function reservedIn(network: Pick<Topology, 'ipRange'>, { ipRange }: Subnet): string[] {
  const { first, last } = spanOf(ipRange)
  return [gatewayOf(network.ipRange), publicGateway, toAddress(first), toAddress(last)]
}

/** Whether no server of a subnet can have an address. */
export function isReserved(network: Pick<Topology, 'ipRange'>, subnet: Subnet, address: string): boolean {
  return reservedIn(network, subnet).includes(address)
}

/** The lowest address of a subnet that servers can have and nobody has taken; undefined when there is none left. */
export function lowestFree(
  network: Pick<Topology, 'ipRange'>,
  subnet: Subnet,
  taken: ReadonlySet<string>,
): string | undefined {
  const { first, last } = spanOf(subnet.ipRange)
  const reserved = reservedIn(network, subnet)
  for (let at = first; at <= last; at++) {
    const address = toAddress(at)
    if (!taken.has(address) && !reserved.includes(address)) return address
  }
  return undefined
}

// ---- What requests ask for -----------------------------------------------------------------------------------------

const refusal = (field: string, message: string) => invalidInput([{ field, message }])

/** Errors: `invalid_input` for what is no private IPv4 range of the given prefix lengths. */
function readRange(text: string, field: string, [widest, narrowest]: readonly [number, number]): string {
  const parsed = parseCidr(text)
  if (!parsed.ok) throw refusal(field, parsed.message)
  const { cidr, family, prefixLength } = parsed
  if (family !== 4 || !privateRanges.some((range) => holds(range, spanOf(cidr)))) {
    throw refusal(field, 'must be within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16')
  }
  if (prefixLength < widest || prefixLength > narrowest) throw refusal(field, `must be /${narrowest} or larger`)
  return cidr
}

/** The range of a network. Errors: `invalid_input`. */
export function readNetworkRange(text: string): string {
  return readRange(text, 'ip_range', [8, 24])
}

/** A longer range for a network. Errors: `invalid_input` unless it begins where the network does. */
export function extended(network: Topology, text: string): Topology {
  const ipRange = readNetworkRange(text)
  const [before, after] = [spanOf(network.ipRange), spanOf(ipRange)]
  if (before.first !== after.first || !holds(after, before)) {
    throw refusal('ip_range', `must extend ${network.ipRange} and begin at the same address`)
  }
  return { ...network, ipRange }
}

/** A subnet as a request describes it. */
export interface AskedSubnet {
  readonly type: SubnetType
  readonly network_zone: string
  readonly ip_range?: string | null
  readonly vswitch_id?: number | null
}

/** What rules about subnets need to know besides the network. */
export interface SubnetRules {
  readonly zones: ReadonlySet<string>
  readonly allowsServerType: boolean
  readonly vswitchIsSmaller: boolean
}

/** The network with one more subnet. `at` precedes the names of fields in errors: `invalid_input`. */
export function withSubnet(network: Topology, asked: AskedSubnet, rules: SubnetRules, at = ''): Topology {
  const { type, network_zone: networkZone, vswitch_id: vswitchId = null } = asked
  if (type === 'server' && !rules.allowsServerType) throw refusal(`${at}type`, 'is gone; use cloud')
  if (!rules.zones.has(networkZone)) throw refusal(`${at}network_zone`, 'network zone does not exist')
  if (type === 'vswitch' && vswitchId === null) throw refusal(`${at}vswitch_id`, 'is required for a vswitch subnet')
  if (type !== 'vswitch' && vswitchId !== null) throw refusal(`${at}vswitch_id`, 'is only for vswitch subnets')
  const field = `${at}ip_range`
  // The range of a vSwitch does not begin where the network does, because that is where the network's gateway is.
  const isApart = type === 'vswitch' && rules.vswitchIsSmaller
  const ipRange = asked.ip_range ? readRange(asked.ip_range, field, [8, 30]) : freeRange(network, field, isApart)
  checkSubnet(network, ipRange, field, isApart)
  const behind = type === 'vswitch' && network.routes.find(({ gateway }) => holdsAddress(ipRange, gateway))
  if (behind)
    throw refusal(field, `holds ${behind.gateway}, the gateway of a route, which must not be behind a vSwitch`)
  return { ...network, subnets: [...network.subnets, { type, ipRange, networkZone, vswitchId }] }
}

function checkSubnet(network: Topology, ipRange: string, field: string, isApart: boolean): void {
  const [outer, inner] = [spanOf(network.ipRange), spanOf(ipRange)]
  if (!holds(outer, inner)) throw refusal(field, `must be within the range of the network, ${network.ipRange}`)
  if (isApart && outer.first === inner.first) {
    throw refusal(field, 'must be smaller than the range of the network and not begin at the same address')
  }
  const rival = rangesIn(network).find((range) => overlap(range, ipRange))
  if (rival) throw refusal(field, `overlaps with ${rival}`)
}

/** Subnets and destinations of routes; the default route leaves room for all of them. */
function rangesIn({ subnets, routes }: Topology): string[] {
  const destinations = routes.map(({ destination }) => destination)
  return [...subnets.map(({ ipRange }) => ipRange), ...destinations.filter((range) => range !== everywhere)]
}

const defaultSize = 2 ** 8

/** The first /24 of the network that nothing else has. */
function freeRange(network: Topology, field: string, isApart: boolean): string {
  const taken = rangesIn(network).map(spanOf)
  const { first, last } = spanOf(network.ipRange)
  for (let at = isApart ? first + defaultSize : first; at + defaultSize - 1 <= last; ) {
    const rival = taken.find((range) => meet(range, { first: at, last: at + defaultSize - 1 }))
    if (!rival) return `${toAddress(at)}/24`
    at = Math.ceil((rival.last + 1) / defaultSize) * defaultSize
  }
  throw refusal(field, 'the network has no free /24 left')
}

/** The network without the subnet of a range. Errors: `invalid_input` when there is none. */
export function withoutSubnet(network: Topology, text: string): Topology {
  const subnets = network.subnets.filter(({ ipRange }) => ipRange !== text)
  if (subnets.length === network.subnets.length) throw refusal('ip_range', 'the network has no such subnet')
  return { ...network, subnets }
}

/** A route in canonical form, whatever network it is for. Errors: `invalid_input`. */
function readRoute({ destination: text, gateway }: Route, at: string): Route {
  const destination = text === everywhere ? text : readRange(text, `${at}destination`, [8, 32])
  const parsed = parseAddress(gateway)
  if (!parsed.ok || parsed.family !== 4) throw refusal(`${at}gateway`, 'must be an IPv4 address')
  return { destination, gateway: parsed.address }
}

/** The network with one more route. `at` precedes the names of fields in errors: `invalid_input`. */
export function withRoute(network: Topology, asked: Route, at = ''): Topology {
  const route = readRoute(asked, at)
  const { destination } = route
  const isTaken =
    destination === everywhere
      ? network.routes.some((other) => other.destination === everywhere)
      : [...rangesIn(network), `${publicGateway}/32`].some((range) => overlap(range, destination))
  if (isTaken) {
    const message = 'network route destination overlaps with another subnetwork or network route'
    throw invalidInput([{ field: `${at}destination`, message }], message)
  }
  checkGateway(network, route.gateway, `${at}gateway`)
  return { ...network, routes: [...network.routes, route] }
}

function checkGateway(network: Topology, gateway: string, field: string): void {
  if (gateway === gatewayOf(network.ipRange) || gateway === publicGateway) throw refusal(field, 'is reserved')
  const isBehind = network.subnets.some(({ type, ipRange }) => type === 'vswitch' && holdsAddress(ipRange, gateway))
  if (isBehind) throw refusal(field, 'must not be behind a vSwitch')
}

/** The network without a route, or undefined when there is no such one. Errors: `invalid_input`. */
export function withoutRoute(network: Topology, asked: Route): Topology | undefined {
  const { destination, gateway } = readRoute(asked, '')
  const routes = network.routes.filter((route) => route.destination !== destination || route.gateway !== gateway)
  return routes.length === network.routes.length ? undefined : { ...network, routes }
}
