/** What is in a network, and which addresses it can have there. Pure (spec: Networks). */
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import type { LimitedKind } from '../../../kernel/resource/limits.ts'
import { parseAddress, parseCidr } from '../../../protocols/net/ip.ts'
import { isReserved, lowestFree, type Network, type Subnet, subnetAround } from '../domain.ts'

/** Most members of one network unless the operator says otherwise, and most alias addresses of a server in it. */
const mostMembers = 100
export const mostAliases = 10

/** The limit of what is in each network of a Project. */
export const memberLimit: LimitedKind = {
  path: 'network_members',
  title: 'network member',
  titles: 'network members',
  type: 'network_attachment',
  most: mostMembers,
}

export const memberStatuses = ['ok', 'attaching', 'detaching', 'updating', 'error'] as const
export type MemberStatus = (typeof memberStatuses)[number]

export const memberTypes = ['server', 'load_balancer'] as const
export type MemberType = (typeof memberTypes)[number]

/** Where something is in a network. */
export interface Place {
  readonly networkId: number
  readonly ip: string
  readonly aliasIps: readonly string[]
  /** The alias addresses that it goes back to if the change that is under way fails. */
  readonly formerAliasIps: readonly string[] | null
  readonly status: MemberStatus
}

export interface ServerPlace extends Place {
  readonly serverId: number
}

/** What is in a network, of whatever type. */
export interface Member extends Place {
  readonly type: MemberType
  readonly id: number
}

/** The hardware address of an interface: in one network it is as unique as the address. */
export function macOf(ip: string): string {
  const octets = ip.split('.').map((octet) => Number(octet).toString(16).padStart(2, '0'))
  return ['86', '00', ...octets].join(':')
}

/** The addresses that a request wants. */
export interface Wish {
  readonly ip?: string | undefined
  /** The subnet to take one from. */
  readonly ipRange?: string | undefined
  readonly aliasIps?: readonly string[] | undefined
}

const refusal = (field: string, message: string) => invalidInput([{ field, message }])
const taken = (address: string) => new ApiError('ip_not_available', `the address ${address} is not available`)

/**
 * The addresses of a server in a zone: the lowest free one unless a certain one is wanted. Errors: `invalid_input`,
 * `no_subnet_available`, `ip_not_available`.
 */
export function chooseAddresses(
  network: Network,
  others: ReadonlySet<string>,
  zone: string,
  { ip: text, ipRange, aliasIps = [] }: Wish,
): { readonly ip: string; readonly aliasIps: string[] } {
  const wanted = text === undefined ? undefined : readAddress(text, 'ip')
  const subnets = subnetsFor(network, zone, ipRange)
  const ip = wanted === undefined ? lowestFreeOf(network, subnets, others) : claim(network, subnets, others, wanted)
  return { ip, aliasIps: chooseAliases(network, ip, new Set([...others, ip]), aliasIps) }
}

/** Alias addresses lie in the subnet of the address. Errors: `invalid_input`, `ip_not_available`. */
export function chooseAliases(
  network: Network,
  ip: string,
  others: ReadonlySet<string>,
  texts: readonly string[],
): string[] {
  const addresses = texts.map((text, index) => readAddress(text, `alias_ips[${index}]`))
  const around = subnetAround(network.subnets, ip)
  for (const [index, address] of addresses.entries()) {
    const field = `alias_ips[${index}]`
    if (addresses.indexOf(address) !== index) throw refusal(field, 'is given twice')
    if (!around || subnetAround([around], address) === undefined) throw refusal(field, `must be in the subnet of ${ip}`)
    if (others.has(address) || isReserved(network, around, address)) throw taken(address)
  }
  return addresses
}

function readAddress(text: string, field: string): string {
  const parsed = parseAddress(text)
  if (!parsed.ok || parsed.family !== 4) throw refusal(field, 'must be an IPv4 address')
  return parsed.address
}

/** The subnets from which servers of a zone get addresses; one that a running change adds is not among them yet. */
function subnetsFor({ subnets, former }: Network, zone: string, ipRange: string | undefined): readonly Subnet[] {
  const isThere = (range: string) => !former || former.subnets.some((subnet) => subnet.ipRange === range)
  const fitting = subnets.filter(
    (subnet) => subnet.type !== 'vswitch' && subnet.networkZone === zone && isThere(subnet.ipRange),
  )
  if (ipRange !== undefined) readSubnetRange(ipRange)
  const chosen = ipRange === undefined ? fitting : fitting.filter((subnet) => subnet.ipRange === ipRange)
  if (chosen.length > 0) return chosen
  throw new ApiError('no_subnet_available', `the network has no such subnet in the network zone ${zone}`)
}

function readSubnetRange(text: string): void {
  const parsed = parseCidr(text)
  if (!parsed.ok) throw refusal('ip_range', parsed.message)
}

function lowestFreeOf(network: Network, subnets: readonly Subnet[], others: ReadonlySet<string>): string {
  for (const subnet of subnets) {
    const address = lowestFree(network, subnet, others)
    if (address) return address
  }
  throw new ApiError('no_subnet_available', 'all addresses of the subnets are in use')
}

function claim(network: Network, subnets: readonly Subnet[], others: ReadonlySet<string>, address: string): string {
  const subnet = subnetAround(subnets, address)
  if (!subnet) throw new ApiError('no_subnet_available', `no subnet of the network holds the address ${address}`)
  if (others.has(address) || isReserved(network, subnet, address)) throw taken(address)
  return address
}

/** A packet goes to an address, or to any private address of a server. */
export type PrivateTarget = { readonly address: string } | { readonly server: number }
