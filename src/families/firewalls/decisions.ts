/** The firewalls at both ends decide about a packet: the answer of reachability for public addresses. Pure. */
import { addressAt, cidrContains, familyOf } from '../../protocols/net/ip.ts'
import { type Direction, type Filter, type Protocol, type Rule, toFilter } from './domain.ts'

/** A firewall with the rules that `parseRules` reads. */
export interface RuleSource {
  readonly id: number
  readonly name: string
  readonly rules: readonly Rule[]
}

/** A rule with the firewall that it comes from. */
export interface EffectiveRule {
  readonly firewall: RuleSource
  /** Its place among all rules of the firewall. */
  readonly index: number
  readonly rule: Rule
}

/** A server as one end of a way. */
export interface ServerEnd {
  readonly server: number
  readonly isOn: boolean
  /** Its public addresses; that of IPv6 as its network, such as `2001:db8::/64`. */
  readonly addresses: readonly string[]
  /** The one address that is meant, such as a Floating IP; any of its own where absent. */
  readonly address?: string | undefined
  readonly firewalls: readonly RuleSource[]
}

/** An address outside, whose side of the way is unknown and stops nothing. */
export interface OutsideEnd {
  readonly server: null
  readonly address: string
}

export type End = ServerEnd | OutsideEnd

export interface Packet {
  readonly protocol: Protocol
  /** The destination port; null for protocols without ports. */
  readonly port: number | null
}

/** Who decided: a rule that accepts, the lack of one, a server that is off, the lack of a way, or nothing on the way. */
export type Decider = 'rule' | 'filter' | 'power' | 'address' | 'nothing'

export interface Decision {
  readonly reachable: boolean
  readonly by: Decider
  /** Whose filter or power decided. */
  readonly server: number | null
  readonly direction: Direction | null
  /** The rule that accepts. */
  readonly rule: EffectiveRule | null
  /** The way that the packet takes, or on which it is stopped. */
  readonly way: { readonly source: string; readonly destination: string } | null
}

/** All rules of some firewalls in one direction, in the order in which the filter of a server has them. */
export function effectiveRules(firewalls: readonly RuleSource[], direction: Direction): EffectiveRule[] {
  return firewalls.flatMap((firewall) =>
    firewall.rules.flatMap((rule, index) => (rule.direction === direction ? [{ firewall, index, rule }] : [])),
  )
}

/** Whether the first packet of a connection from one end to another would arrive, and what decides it. */
export function decide(from: End, to: End, packet: Packet): Decision {
  const off = [from, to].find((end) => end.server !== null && !end.isOn)
  if (off) return { ...undecided, by: 'power', server: off.server }
  const destinations = addressesOf(to)
  const decisions = addressesOf(from).flatMap((source) =>
    destinations
      .filter((destination) => familyOf(source) === familyOf(destination))
      .map((destination) => onTheWay({ from, to, packet, source, destination })),
  )
  const nowhere: Decision = { ...undecided, by: 'address', server: from.server ?? to.server }
  return decisions.find(({ reachable }) => reachable) ?? decisions[0] ?? nowhere
}

const undecided: Decision = { reachable: false, by: 'nothing', server: null, direction: null, rule: null, way: null }

interface Way {
  readonly from: End
  readonly to: End
  readonly packet: Packet
  readonly source: string
  readonly destination: string
}

/** It leaves through the filter of its source and arrives through that of its destination. */
function onTheWay({ from, to, packet, source, destination }: Way): Decision {
  const way = { source, destination }
  let last: Decision = { ...undecided, reachable: true, way }
  const gates = [
    { end: from, direction: 'out', peer: destination },
    { end: to, direction: 'in', peer: source },
  ] as const
  for (const { end, direction, peer } of gates) {
    if (end.server === null) continue
    const { accept, otherwise } = sideOf(toFilter(end.firewalls), direction)
    const index = accept.findIndex((part) => accepts(part, packet, peer))
    if (index === -1 && otherwise === 'accept') continue
    const rule = index === -1 ? null : effectiveRules(end.firewalls, direction)[index]!
    last = { reachable: rule !== null, by: rule ? 'rule' : 'filter', server: end.server, direction, rule, way }
    if (!rule) return last
  }
  return last
}

function sideOf(filter: Filter, direction: Direction): Filter['inbound'] {
  return direction === 'in' ? filter.inbound : filter.outbound
}

function accepts(part: Filter['inbound']['accept'][number], { protocol, port }: Packet, peer: string): boolean {
  if (part.protocol !== protocol) return false
  if (part.ports && port !== null && (port < part.ports.first || port > part.ports.last)) return false
  return part.networks.some((network) => cidrContains(network, peer))
}

/** The addresses that an end can use; of a network, the first. */
function addressesOf(end: End): string[] {
  if (end.server === null) return [end.address]
  const { address } = end
  if (address !== undefined) return end.addresses.some((own) => leadsTo(own, address)) ? [address] : []
  return end.addresses.map((own) => (own.includes('/') ? addressAt(own, 1n) : own))
}

const leadsTo = (own: string, address: string) => (own.includes('/') ? cidrContains(own, address) : own === address)
