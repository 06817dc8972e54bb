/** Private networks: who the members may claim to be, where their alias IPs are, and the routes of the network. */
import type { NetworkShape } from '../../../families/networks/driver.ts'
import { type Change, carryOut } from './change.ts'
import { deleteGroup, expectGroup, findGroups, type Group, putGroup, putMarks, readGroups } from './groups.ts'
import { guardAcls } from './guards.ts'
import { instancePort, type Logical } from './logical.ts'
import { isStale, ownerOf, readRecord, recordGroup, seen, splitList, toMarks } from './records.ts'
import { destinationOf, putRoutes } from './routes.ts'
import type { Texts } from './rows.ts'
import type { PrivateSide } from './sides.ts'
import type { Site } from './site.ts'

type Routes = NetworkShape['routes']

/** The place of a server in a network, as its group remembers it. */
interface Place {
  readonly server: number
  readonly network: number
  /** The network's name in Incus. */
  readonly incusNetwork: string
  readonly port: string
  readonly mac: string
  /** The address of the server, then its alias IPs. */
  readonly addresses: readonly string[]
}

const networkOwner = (network: number) => `network-${network}`
const networkGroup = (network: number) => `wolke_network_${network}`
const sideOwner = (server: number, network: number) => `side-${ownerOf(server)}-${network}`
const sideGroup = (server: number, network: number) => `${recordGroup(server)}_network_${network}`

export class PrivateSides {
  readonly #site: Site

  constructor(site: Site) {
    this.#site = site
  }

  /** Makes these be all places of a server. Sides of networks that are gone leave nothing behind. */
  async admit(server: number, generation: number, sides: readonly PrivateSide[]): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const [group] = await readGroups(this.#site.database, [recordGroup(server)])
      const record = readRecord(server, group!)
      if (isStale(record, 'private', generation)) return
      const takes = generation > record.generations.private
      for (const former of await this.#sidesOf(server)) {
        const isKept = sides.some(({ network }) => former.name === sideGroup(server, network))
        if (!isKept) await this.#leave(change, former)
      }
      for (const side of sides) await this.#enter(change, server, side, takes)
      // The generation is all that changes here: what is in force on the public side stays as it is.
      putMarks(change, group!, toMarks(seen(record, 'private', generation)))
    })
  }

  /** Takes a server out of all networks. */
  async forget(server: number): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      for (const side of await this.#sidesOf(server)) await this.#leave(change, side)
    })
  }

  /** Makes these be all routes of a network. Their gateways may send from where the routes lead. */
  async route(network: number, generation: number, incusNetwork: string, routes: Routes): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.logical(incusNetwork)
      const [group] = await readGroups(this.#site.database, [networkGroup(network)])
      const { generation: known = '-1', routes: text } = group!.marks ?? {}
      if (generation < Number(known)) return
      const owner = networkOwner(network)
      const hops = new Map(routes.map(({ destination, gateway }) => [destination, gateway]))
      const former = parseRoutes(text).map(({ destination }) => destination)
      await putRoutes(this.#site.database, change, logical, { owner, routes: hops, former, takes: true })
      const marks = { wolke: owner, generation: String(generation), routes: formatRoutes(routes) }
      putGroup(change, group!, { marks, acls: [], port: null })
      for (const side of await findGroups(this.#site.database, { network: String(network) })) {
        const place = readPlace(side)
        if (place) this.#put(change, logical, side, place, routes)
      }
    })
  }

  /** Forgets the routes of a network that is gone, with which they went. */
  async forgetNetwork(network: number, generation: number): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const [group] = await readGroups(this.#site.database, [networkGroup(network)])
      if (generation < Number(group!.marks?.generation ?? -1)) return
      deleteGroup(change, group!)
      for (const side of await findGroups(this.#site.database, { network: String(network) })) deleteGroup(change, side)
    })
  }

  #sidesOf(server: number): Promise<Group[]> {
    return findGroups(this.#site.database, { side: String(server) })
  }

  async #enter(change: Change, server: number, side: PrivateSide, takes: boolean): Promise<void> {
    const { network, incusNetwork, ip, aliasIps, mac } = side
    const logical = await this.#site.logical(incusNetwork)
    const names = [sideGroup(server, network), networkGroup(network)]
    const [group, shape] = await readGroups(this.#site.database, names)
    const former = (readPlace(group!)?.addresses.slice(1) ?? []).map(destinationOf)
    const routes = new Map(aliasIps.map((alias) => [destinationOf(alias), ip]))
    const owner = sideOwner(server, network)
    const { refused } = await putRoutes(this.#site.database, change, logical, { owner, routes, former, takes })
    const own = aliasIps.filter((alias) => !refused.has(destinationOf(alias)))
    const port = instancePort(logical, side.instance, side.device)
    const place = { server, network, incusNetwork, port, mac, addresses: [ip, ...own] }
    expectGroup(change, shape!)
    this.#put(change, logical, group!, place, parseRoutes(shape!.marks?.routes))
  }

  async #leave(change: Change, group: Group): Promise<void> {
    const place = readPlace(group)
    const logical = place && (await this.#site.find(place.incusNetwork))
    if (logical) {
      const former = place.addresses.slice(1).map(destinationOf)
      const nothing = { owner: sideOwner(place.server, place.network), routes: new Map(), former, takes: false }
      await putRoutes(this.#site.database, change, logical, nothing)
    }
    deleteGroup(change, group)
  }

  #put(change: Change, logical: Logical, group: Group, place: Place, routes: Routes): void {
    const { port, mac, addresses } = place
    const behind = routes.filter(({ gateway }) => addresses.includes(gateway)).map(({ destination }) => destination)
    const acls = guardAcls({ port, mac, ipv4: [...addresses, ...behind], ipv6: null, router: [] })
    putGroup(change, group, { marks: placeMarks(place), acls, port: logical.gatewayPort })
  }
}

function placeMarks({ server, network, incusNetwork, port, mac, addresses }: Place): Texts {
  const ids = { wolke: sideOwner(server, network), side: String(server), network: String(network) }
  return { ...ids, in: incusNetwork, port, mac, addresses: addresses.join(' ') }
}

function readPlace({ marks }: Group): Place | undefined {
  const { side, network, in: incusNetwork, port, mac, addresses } = marks ?? {}
  if (side === undefined || network === undefined || incusNetwork === undefined) return undefined
  if (port === undefined || mac === undefined) return undefined
  return {
    server: Number(side),
    network: Number(network),
    incusNetwork,
    port,
    mac,
    addresses: splitList(addresses),
  }
}

const formatRoutes = (routes: Routes) => routes.map(({ destination, gateway }) => `${destination}>${gateway}`).join(' ')

function parseRoutes(text: string | undefined): Routes {
  return splitList(text).map((route) => {
    const [destination = '', gateway = ''] = route.split('>')
    return { destination, gateway }
  })
}
