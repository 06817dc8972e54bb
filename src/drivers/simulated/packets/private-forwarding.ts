/** What becomes of a packet in private networks: from the router of one to a gateway, and on into the next. */

import { familyOf } from '../../../protocols/net/ip.ts'
import type { Decision, Packet, PacketEnd, Verdict } from '../../../reachability/driver.ts'
import { addressesOf, type Exit, type PrivateNetworks, type Route } from './private-networks.ts'

/** The addresses of a packet on one of its possible ways. */
export interface Way {
  readonly source: string
  readonly destination: string
}

/** What private networks made of a packet for a public address: a server sends it there, or nobody does. */
export type Sent =
  | { readonly verdict: Verdict }
  | { readonly server: number; readonly way: Way; readonly explanation: string }

/** What is asked about servers besides their places. */
interface Hosts {
  isOn(id: number): boolean
  /** Its own public IPv4 address. */
  ipv4Of(id: number): string | undefined
}

/** A route that led a packet to the server that is its gateway. */
interface Hop {
  readonly networkId: number
  readonly route: Route
  readonly server: number
  /** The server that it came from. */
  readonly before: number
}

interface Journey {
  /** The server where the packet is. */
  readonly at: number
  readonly hops: readonly Hop[]
  readonly destination: string
  /** Whether gateways send it to the public network. */
  readonly isPublic: boolean
}

type End =
  | { readonly kind: 'arrived'; readonly server: number; readonly networkId: number }
  | { readonly kind: 'beyond'; readonly what: string; readonly networkId: number }
  | { readonly kind: 'public'; readonly server: number }
  | { readonly kind: 'stopped'; readonly decidedBy: Decision; readonly explanation: string }

interface PathTaken {
  readonly end: End
  readonly hops: readonly Hop[]
}

const decision = (by: Decision['by'], server: number | null, network: number | null): Decision => {
  return { by, server, direction: null, rule: null, network }
}

/** What private networks do with packets. */
export class PrivateForwarding {
  readonly #networks: PrivateNetworks
  readonly #hosts: Hosts

  constructor(networks: PrivateNetworks, hosts: Hosts) {
    this.#networks = networks
    this.#hosts = hosts
  }

  /** What becomes of a packet on each of its ways that lie within private networks. */
  within(packet: Packet): Verdict[] {
    const { from, to } = packet
    if (isOnlyPublic(from) || (!to.isPrivate && isOnlyPublic(to))) return []
    const destinations = to.address === null ? this.#networks.placesOf(to.server!).map(({ ip }) => ip) : [to.address]
    return destinations.flatMap((destination) => {
      const outcome = this.#send(from, destination, false)
      return outcome && concerns(to, outcome) ? [this.#toVerdict(packet, destination, this.#powered(outcome))] : []
    })
  }

  /** What becomes of a packet for public addresses that the public address of its server cannot send there. */
  outward(packet: Packet, destinations: readonly string[]): Sent[] {
    const { from } = packet
    if (isOnlyPublic(from) || (from.address === null && this.#hosts.ipv4Of(from.server!))) return []
    return destinations
      .filter((one) => familyOf(one) === 4)
      .flatMap((destination): Sent[] => {
        const outcome = this.#send(from, destination, true)
        if (!outcome) return []
        const { end, hops } = outcome
        if (end.kind !== 'public') return [{ verdict: this.#toVerdict(packet, destination, outcome) }]
        const way = { source: this.#hosts.ipv4Of(end.server)!, destination }
        return [{ server: end.server, way, explanation: trail(hops).trim() }]
      })
  }

  /** Why there is no way at all, if that is about private networks. */
  noWay({ from, to }: Packet): Verdict | undefined {
    const isInside = from.server !== null && this.#networks.placesOf(from.server).length > 0
    const stop = (by: 'route' | 'address', explanation: string) => stopped(decision(by, from.server, null), explanation)
    if (to.isPrivate && isOnlyPublic(from)) {
      return stop('route', 'Private networks cannot be reached from public addresses.')
    }
    if (to.isPrivate && !isInside) return stop('address', `Server ${from.server} has no private address.`)
    if (!isInside || isOnlyPublic(from)) return undefined
    const target = to.address ?? `server ${to.server}`
    const otherwise = to.isPrivate ? '' : ', and no public addresses of both fit together'
    return stop(
      'route',
      `No network of server ${from.server} leads to ${target}, by its range or by a route${otherwise}.`,
    )
  }

  /** Where a packet begins: with any private address of its server, or with the one that it has. */
  #send({ server, address }: PacketEnd, destination: string, isPublic: boolean): PathTaken | undefined {
    const own = this.#networks
      .placesOf(server!)
      .find((place) => address !== null && addressesOf(place).includes(address))
    // What lies behind a server itself is none of the network's business.
    const isElsewhere = ({ networkId, route }: Exit) =>
      !route || this.#networks.holder(networkId, route.gateway) !== server
    const canTake = (exit: Exit) => isElsewhere(exit) && (!own || own.networkId === exit.networkId)
    return this.#follow({ at: server!, hops: [], destination, isPublic }, canTake)
  }

  /** Follows a packet that a server sends; undefined when none of its networks takes it. */
  #follow(journey: Journey, canTake: (exit: Exit) => boolean): PathTaken | undefined {
    const { at, hops, destination } = journey
    const exit = this.#networks.exits(at, destination).find(canTake)
    if (!exit) return undefined
    const { networkId, route } = exit
    const delivery = this.#networks.deliver(networkId, destination, route)
    if (delivery.to === 'nobody') return { end: unanswered(exit, destination), hops }
    if (delivery.to === 'vswitch') {
      return { end: { kind: 'beyond', what: `vSwitch ${delivery.vswitchId}`, networkId }, hops }
    }
    const { server } = delivery
    if (!route) return { end: { kind: 'arrived', server, networkId }, hops }
    return this.#forward({ ...journey, at: server, hops: [...hops, { networkId, route, server, before: at }] })
  }

  /** A gateway sends a packet on: by another network of its own, to the public network, or to what lies behind it. */
  #forward(journey: Journey): PathTaken {
    const { at, hops, destination, isPublic } = journey
    const { networkId } = hops.at(-1)!
    const stop = (by: Decision['by'], explanation: string): PathTaken => {
      return { end: { kind: 'stopped', decidedBy: decision(by, at, networkId), explanation }, hops }
    }
    if (!this.#hosts.isOn(at)) return stop('power', `Server ${at} is off.`)
    if (hops.some(({ before }) => before === at)) return stop('route', 'It has been there before.')
    if (this.#networks.holds(at, destination)) return { end: { kind: 'arrived', server: at, networkId }, hops }
    const onward = this.#follow(journey, (exit) => exit.networkId !== networkId)
    if (onward) return onward
    if (!isPublic) return { end: { kind: 'beyond', what: `server ${at}`, networkId }, hops }
    if (this.#hosts.ipv4Of(at)) return { end: { kind: 'public', server: at }, hops }
    return stop('address', `Server ${at} has no public IPv4 address.`)
  }

  /** A server that is off gets nothing. */
  #powered(outcome: PathTaken): PathTaken {
    const { end } = outcome
    if (end.kind !== 'arrived' || this.#hosts.isOn(end.server)) return outcome
    const decidedBy = decision('power', end.server, end.networkId)
    return { ...outcome, end: { kind: 'stopped', decidedBy, explanation: `Server ${end.server} is off.` } }
  }

  #toVerdict({ from }: Packet, destination: string, { end, hops }: PathTaken): Verdict {
    const led = trail(hops)
    if (end.kind === 'stopped') return stopped(end.decidedBy, `${led}${end.explanation}`)
    const [first, last] = [hops[0], hops.at(-1)]
    const network = end.kind === 'public' ? null : end.networkId
    const decidedBy = last ? decision('route', last.server, last.networkId) : decision('nothing', null, network)
    const passage = led || `Network ${network} leads there, and no firewall filters in it. `
    const places = this.#networks.placesOf(from.server!)
    const source = from.address ?? places.find(({ networkId }) => networkId === (first?.networkId ?? network))?.ip
    const place = end.kind === 'beyond' ? `, which is behind ${end.what} and not a server of this Project` : ''
    const explanation = `${passage}${source} reaches ${destination}${place}.`
    return { reachable: true, path: 'private', decidedBy, explanation }
  }
}

/** Whether what was found out about an address is about the server that is asked for. */
function concerns(to: PacketEnd, { end, hops }: PathTaken): boolean {
  if (to.isPrivate) return true
  if (end.kind === 'arrived') return end.server === to.server
  return end.kind === 'stopped' && (hops.length > 0 || end.decidedBy.by === 'route')
}

const isOnlyPublic = ({ server, address, isPrivate }: PacketEnd) => server === null || (address !== null && !isPrivate)

/** The packet does not arrive. */
export function stopped(decidedBy: Decision, explanation: string): Verdict {
  return { reachable: false, path: null, decidedBy, explanation }
}

function unanswered({ networkId, route }: Exit, destination: string): End {
  const server = null
  const explanation = route
    ? `The route of network ${networkId} to ${route.destination} leads to ${route.gateway}, which no server has.`
    : `No server in network ${networkId} has the address ${destination}.`
  return { kind: 'stopped', decidedBy: decision(route ? 'route' : 'address', server, networkId), explanation }
}

/** The routes that led a packet, as sentences. */
function trail(hops: readonly Hop[]): string {
  return hops
    .map(
      ({ networkId, route, server }) =>
        `The route of network ${networkId} to ${route.destination} leads to server ${server}. `,
    )
    .join('')
}
