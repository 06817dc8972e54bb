/** The place of a server or a load balancer in a private network, as its group remembers it. */
import type { NetworkShape } from '../../../../families/networks/driver.ts'
import { type Group, putGroup } from '../groups/groups.ts'
import type { Logical } from '../logical.ts'
import type { NorthboundChange } from '../northbound.ts'
import { guardAcls } from '../sources/guards.ts'
import { ownerOf, type Subject, splitList, subjectOf } from './records.ts'

export type Routes = NetworkShape['routes']

export interface MarkedPlace {
  readonly subject: Subject
  readonly network: number
  /** The network's name in Incus. */
  readonly incusNetwork: string
  readonly port: string
  readonly mac: string
  /** The address of the subject, then its alias IPs. */
  readonly addresses: readonly string[]
}

/** Marks of all places of a subject, and of all places in a network. */
export const placesOf = (subject: Subject) => ({ place: ownerOf(subject) })
export const placesIn = (network: number) => ({ network: String(network) })

/** The owner of the routes to the alias IPs of a place. */
export const placeOwner = (subject: Subject, network: number) => `${ownerOf(subject)}-network-${network}`
export const placeGroup = ({ kind, id }: Subject, network: number) => `wolke_${kind}_${id}_network_${network}`

export const networkOwner = (network: number) => `network-${network}`
export const networkGroup = (network: number) => `wolke_network_${network}`

/** The network whose routes marks are about. */
export function networkOf(owner: string | undefined): number | undefined {
  const [, id] = /^network-(\d+)$/.exec(owner ?? '') ?? []
  return id === undefined ? undefined : Number(id)
}

/** Writes a place. A gateway may send from where the routes of its network lead through it. */
export function putPlace(
  change: NorthboundChange,
  logical: Logical,
  group: Group,
  place: MarkedPlace,
  routes: Routes,
): void {
  const { subject, network, incusNetwork, port, mac, addresses } = place
  const behind = routes.filter(({ gateway }) => addresses.includes(gateway)).map(({ destination }) => destination)
  const acls = guardAcls({ port, mac, ipv4: [...addresses, ...behind], ipv6: null, router: [], only: null, hidden: [] })
  const ids = { wolke: placeOwner(subject, network), ...placesOf(subject), ...placesIn(network) }
  const marks = { ...ids, in: incusNetwork, port, mac, addresses: addresses.join(' ') }
  putGroup(change, group, { marks, acls, port: logical.gatewayPort })
}

export function readPlace({ marks = {} }: Group): MarkedPlace | undefined {
  const { place, network, in: incusNetwork, port, mac, addresses } = marks
  const subject = subjectOf(place)
  if (!subject || network === undefined || incusNetwork === undefined) return undefined
  if (port === undefined || mac === undefined) return undefined
  return { subject, network: Number(network), incusNetwork, port, mac, addresses: splitList(addresses) }
}

export const formatRoutes = (routes: Routes) =>
  routes.map(({ destination, gateway }) => `${destination}>${gateway}`).join(' ')

export function parseRoutes(text: string | undefined): Routes {
  return splitList(text).map((route) => {
    const [destination = '', gateway = ''] = route.split('>')
    return { destination, gateway }
  })
}
