/**
 * The network between simulated servers: families tell it what they put there, and it answers what a packet would do.
 * It knows servers by their ids only.
 */

import { addressAt, cidrContains, familyOf } from '../../protocols/net/ip.ts'
import type { Decision, Packet, PacketEnd, ReachabilityDriver, Verdict } from '../../reachability/driver.ts'
import { PrivateForwarding, type Sent, stopped, type Way } from './packets/private-forwarding.ts'
import { type PrivateNetwork, PrivateNetworks, type PrivatePlace } from './packets/private-networks.ts'
import { keptMap, pairsIn, type Site } from './simulation.ts'

/** A server as a host in the network. */
export interface Host {
  readonly isOn: boolean
  /** Addresses that its packets come from: IPv4 addresses and IPv6 /64 networks. */
  readonly addresses: readonly string[]
}

interface FilterRule {
  readonly protocol: string
  readonly ports: { readonly first: number; readonly last: number } | null
  readonly networks: readonly string[]
}

interface FilterDirection {
  readonly otherwise: 'accept' | 'drop'
  readonly accept: readonly FilterRule[]
}

/** The packet filter of a host. */
export interface Filter {
  readonly inbound: FilterDirection
  readonly outbound: FilterDirection
}

const undecided: Decision = { by: 'nothing', server: null, direction: null, rule: null, network: null }

const keptNetworks = ({ keep }: Site) =>
  keep<PrivateNetworks>('packets.networks', {
    fresh: () => new PrivateNetworks(),
    copy: (known) => known.copy(),
    forget: (known, ids) => known.forget(ids),
    save: (known) => known.save(),
    load(saved) {
      const { networks, places, holders } = (saved ?? {}) as Readonly<Record<string, unknown>>
      return PrivateNetworks.of(
        pairsIn(networks),
        pairsIn(places),
        pairsIn<number, [string, number][]>(holders).map(([id, own]) => [id, new Map(own)]),
      )
    },
  })

/** Creates the network with the driver that reachability asks. */
export function simulatePackets(site: Site) {
  const hosts = keptMap<number, Host>(site, 'packets.hosts')
  const filters = keptMap<number, Filter>(site, 'packets.filters')
  const routes = keptMap<number, readonly string[]>(site, 'packets.routes')
  const networks = keptNetworks(site)
  const forwarding = new PrivateForwarding(networks, {
    isOn: (id) => hosts.get(id)?.isOn ?? false,
    ipv4Of: (id) => hosts.get(id)?.addresses.find((address) => familyOf(address) === 4),
  })

  /** The public addresses that an end can use, one of each family at most. */
  function addressesOf({ server, address, isPrivate }: PacketEnd): string[] {
    if (isPrivate) return []
    if (server === null) return [address!]
    const own = hosts.get(server)?.addresses ?? []
    if (address !== null)
      return [...own, ...(routes.get(server) ?? [])].some((one) => leadsTo(one, address)) ? [address] : []
    return own.map((one) => (one.includes('/') ? addressAt(one, 1n) : one))
  }

  function trace(packet: Packet): Verdict {
    const { from, to } = packet
    const off = [from, to].find(({ server }) => server !== null && !hosts.get(server)?.isOn)
    if (off?.server) return withoutPower(off.server)
    const destinations = addressesOf(to)
    const ways = waysBetween(addressesOf(from), destinations)
    const verdicts = [
      ...forwarding.within(packet),
      ...ways.map((way) => passFilters(filters, packet, way)),
      ...forwarding.outward(packet, destinations).map((sent) => leave(packet, sent)),
    ]
    return (
      verdicts.find(({ reachable }) => reachable) ?? verdicts[0] ?? forwarding.noWay(packet) ?? withoutAddress(packet)
    )
  }

  /** A packet that private networks brought to a server goes on from there, with its public address. */
  function leave(packet: Packet, sent: Sent): Verdict {
    if ('verdict' in sent) return sent.verdict
    const { server, way, explanation } = sent
    const verdict = passFilters(filters, { ...packet, from: { server, address: way.source, isPrivate: false } }, way)
    return { ...verdict, explanation: `${explanation} ${verdict.explanation}` }
  }

  const driver: ReachabilityDriver = {
    trace: async (packet) => trace(packet),
  }
  return {
    drivers: { reachability: driver },
    world: {},
    // It only looks.
    certain: ['reachability.trace'],
    /** Whether the first packet of a connection would arrive. */
    arrives: (packet: Packet): boolean => trace(packet).reachable,
    isOn: (id: number): boolean => hosts.get(id)?.isOn ?? false,
    putHost: (id: number, host: Host): void => void hosts.set(id, host),
    putFilter: (id: number, filter: Filter): void => void filters.set(id, filter),
    /** Makes exactly these further addresses lead to a host. */
    route: (id: number, addresses: readonly string[]): void => void routes.set(id, addresses),
    putNetwork: (id: number, network: PrivateNetwork | null): void => networks.put(id, network),
    /** Gives a host exactly these places in private networks. */
    place: (id: number, places: readonly PrivatePlace[]): void => networks.place(id, places),
    removeHost(id: number): void {
      for (const known of [hosts, filters, routes]) known.delete(id)
      networks.leave(id)
    },
  }
}

/** The packet leaves through the filter of its source and arrives through that of its destination. */
function passFilters(
  filters: ReadonlyMap<number, Filter>,
  { from, to, protocol, port }: Packet,
  { source, destination }: Way,
): Verdict {
  let decidedBy = undecided
  const gates = [
    { server: from.server, direction: 'out', peer: destination },
    { server: to.server, direction: 'in', peer: source },
  ] as const
  for (const { server, direction, peer } of gates) {
    const filter = server === null ? undefined : filters.get(server)
    if (!filter) continue
    const { otherwise, accept } = direction === 'in' ? filter.inbound : filter.outbound
    const rule = accept.find((one) => accepts(one, protocol, port, peer))
    if (!rule && otherwise === 'accept') continue
    decidedBy = { ...undecided, by: rule ? 'rule' : 'filter', server, direction, rule: rule ? describe(rule) : null }
    if (!rule) return stopped(decidedBy, refusal(decidedBy, peer))
  }
  const explanation = `${passage(decidedBy)} ${source} reaches ${destination}${outside(to)}.`
  return { reachable: true, path: 'public', decidedBy, explanation }
}

/** An IPv4 address leads to itself, a /64 network to all that is in it. */
function leadsTo(owned: string, address: string): boolean {
  return owned.includes('/') ? cidrContains(owned, address) : owned === address
}

function waysBetween(sources: readonly string[], destinations: readonly string[]): Way[] {
  return sources.flatMap((source) =>
    destinations
      .filter((destination) => familyOf(source) === familyOf(destination))
      .map((destination) => ({ source, destination })),
  )
}

function accepts(rule: FilterRule, protocol: Packet['protocol'], port: number | null, peer: string): boolean {
  if (rule.protocol !== protocol) return false
  if (rule.ports && port !== null && (port < rule.ports.first || port > rule.ports.last)) return false
  return rule.networks.some((network) => cidrContains(network, peer))
}

function describe({ protocol, ports, networks }: FilterRule): Decision['rule'] {
  const range = ports && (ports.first === ports.last ? `${ports.first}` : `${ports.first}-${ports.last}`)
  return { protocol, port: range, networks }
}

function withoutAddress({ from, to }: Packet): Verdict {
  const decidedBy: Decision = { ...undecided, by: 'address', server: from.server ?? to.server }
  const reason =
    to.server !== null && to.address !== null
      ? `The address ${to.address} does not lead to server ${to.server} from there.`
      : 'The two have no address of the same family.'
  return stopped(decidedBy, reason)
}

const towards = { in: 'from', out: 'to' } as const

function refusal({ server, direction }: Decision, peer: string): string {
  return `No ${direction}bound rule of the firewalls of server ${server} accepts it ${towards[direction!]} ${peer}.`
}

function passage({ by, server, direction, rule }: Decision): string {
  if (by === 'nothing') return 'No filter is on the way.'
  const port = rule?.port ? ` port ${rule.port}` : ''
  const networks = rule?.networks.join(', ')
  return `An ${direction}bound rule of server ${server} accepts ${rule?.protocol}${port} ${towards[direction!]} ${networks}.`
}

function withoutPower(server: number): Verdict {
  return stopped({ ...undecided, by: 'power', server }, `Server ${server} is off.`)
}

const outside = ({ server }: PacketEnd) => (server === null ? ', which is not a server of this Project' : '')
