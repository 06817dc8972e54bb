/**
 * Matches of OVN, written from parts so that none can have what OVN multiplies: a match never negates, and has one
 * address field with alternatives at most. OVN turns the negation of a set of networks into the product of their bits,
 * which are millions of flows on every host.
 */
import { cidrContains, cidrRange, familyOf, subnetAt } from '../../../../protocols/net/ip.ts'

/** Every action that a switch takes on packets (direction, priority, match, action), as rows of the table ACL. */
export interface Acl {
  /** `from-lport` for what a port sends, `to-lport` for what it gets. */
  readonly direction: 'from-lport' | 'to-lport'
  readonly priority: number
  readonly match: string
  readonly action: 'allow' | 'allow-related' | 'drop'
  /** Decides after the first stage has let a packet through, where both have to. Packets that ports send have two stages. */
  readonly isSecond?: boolean
}

/** One of the fields of addresses, each of which a match can have once. */
export type AddressField = 'ip4.src' | 'ip4.dst' | 'ip6.src' | 'ip6.dst' | 'arp.spa' | 'nd.target'

/**
 * The port of a switch that sent a packet, or that it goes to. Errors: a RangeError for a name that OVN would not read as
 * one.
 */
export function atPort(field: 'inport' | 'outport', name: string): string {
  if (!/^[\w.-]{1,100}$/.test(name)) throw new RangeError(`${JSON.stringify(name)} is no name of a port`)
  return `${field} == "${name}"`
}

/**
 * Addresses and networks that a field may have, of one family; `null` when any will do. Errors: a RangeError for none at
 * all.
 */
export function oneOf(field: AddressField, networks: readonly string[]): string | null {
  const family = field.startsWith('ip6') || field.startsWith('nd') ? 6 : 4
  if (networks.length === 0) throw new RangeError(`${field} can have no value`)
  if (networks.some((network) => familyOf(baseOf(network)) !== family)) {
    throw new RangeError(`${field} cannot have all of ${networks.join(', ')}`)
  }
  const merged = withoutContained(networks)
  if (merged.some((network) => network.endsWith('/0'))) return null
  return merged.length === 1 ? `${field} == ${merged[0]}` : `${field} == {${merged.join(', ')}}`
}

/** A range of ports, first and last included. */
export function portsOf(field: 'tcp.dst' | 'udp.dst', { first, last }: { first: number; last: number }): string | null {
  if (first === 0 && last === 65_535) return null
  return first === last ? `${field} == ${first}` : `${field} >= ${first} && ${field} <= ${last}`
}

/** All parts have to fit; those that are `null` always do. */
export const all = (...parts: readonly (string | null)[]) => parts.filter((part) => part !== null).join(' && ')

const baseOf = (network: string) => network.split('/')[0]!

/** Leaves out what lies in another one, so that the rows say everything once. Two networks never overlap otherwise. */
export function withoutContained(networks: readonly string[]): string[] {
  const ranges = networks.map((network) => ({ network, ...cidrRange(asCidr(network)) }))
  ranges.sort((a, b) => order(a.first, b.first) || order(b.last, a.last))
  const kept: typeof ranges = []
  for (const range of ranges) {
    const before = kept.at(-1)
    if (!before || range.last > before.last) kept.push(range)
  }
  return kept.map(({ network }) => network)
}

/** Returns the rest of a network without some in it, in as few networks as there can be. */
export function without(network: string, holes: readonly string[]): string[] {
  const [base = '', length] = network.split('/')
  if (holes.some((hole) => Number(length) >= Number(hole.split('/')[1]) && cidrContains(hole, base))) return []
  if (!holes.some((hole) => cidrContains(network, hole.split('/')[0]!))) return [network]
  return [0n, 1n].flatMap((half) => without(subnetAt(network, Number(length) + 1, half), holes))
}

/** An address is a network of its own. */
export const asCidr = (address: string) =>
  address.includes('/') ? address : `${address}/${address.includes(':') ? 128 : 32}`

const order = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)
