/**
 * Private networks between simulated servers: where one sends what a server in it sends. The router of a network knows
 * the addresses of its members and the routes; nothing filters on the way.
 */
import { cidrContains } from '../../../protocols/net/ip.ts'

/** What routers know of a network. */
export interface PrivateNetwork {
  readonly ipRange: string
  readonly subnets: readonly {
    readonly ipRange: string
    readonly networkZone: string
    readonly vswitchId: number | null
  }[]
  readonly routes: readonly { readonly destination: string; readonly gateway: string }[]
}

/** The addresses of a server in a network. */
export interface PrivatePlace {
  readonly networkId: number
  readonly ip: string
  readonly aliasIps: readonly string[]
}

/** Where a network delivers a packet; a server is the one with the address, or the gateway of a route. */
export type Delivery =
  | { readonly to: 'host'; readonly server: number }
  | { readonly to: 'vswitch'; readonly vswitchId: number }
  | { readonly to: 'nobody' }

export type Route = PrivateNetwork['routes'][number]

/** A network that takes a packet of a server to a destination, and the range or the route for which it does. */
export interface Exit {
  readonly networkId: number
  readonly route: Route | undefined
}

/** All addresses of a server in a network. */
export const addressesOf = ({ ip, aliasIps }: PrivatePlace) => [ip, ...aliasIps]

/** All networks, and which servers are in them. */
export class PrivateNetworks {
  readonly #networks = new Map<number, PrivateNetwork>()
  readonly #places = new Map<number, readonly PrivatePlace[]>()
  /** By network, who has an address. */
  readonly #holders = new Map<number, Map<string, number>>()

  /** All networks, all servers in them, and by network who has an address. */
  static of(
    networks: Iterable<[number, PrivateNetwork]>,
    places: Iterable<[number, readonly PrivatePlace[]]>,
    holders: Iterable<[number, ReadonlyMap<string, number>]>,
  ): PrivateNetworks {
    const made = new PrivateNetworks()
    for (const [id, network] of networks) made.#networks.set(id, network)
    for (const [id, own] of holders) made.#holders.set(id, new Map(own))
    for (const [server, own] of places) made.#places.set(server, own)
    return made
  }

  copy(): PrivateNetworks {
    return PrivateNetworks.of(this.#networks, this.#places, this.#holders)
  }

  /** All of it as a JSON value. */
  save() {
    const holders = [...this.#holders].map(([id, own]) => [id, [...own]])
    return { networks: [...this.#networks], places: [...this.#places], holders }
  }

  /** Loses networks and servers by their ids. */
  forget(ids: Pick<ReadonlySet<number>, 'has'>): void {
    for (const server of this.#places.keys()) if (ids.has(server)) this.leave(server)
    for (const known of [this.#networks, this.#holders]) {
      for (const id of known.keys()) if (ids.has(id)) known.delete(id)
    }
  }

  put(id: number, network: PrivateNetwork | null): void {
    if (network) this.#networks.set(id, network)
    else this.#networks.delete(id)
  }

  /** Puts a server exactly where it is told. */
  place(server: number, all: readonly PrivatePlace[]): void {
    this.leave(server)
    this.#places.set(server, all)
    for (const place of all) {
      const holders = this.#holders.get(place.networkId) ?? new Map<string, number>()
      for (const address of addressesOf(place)) holders.set(address, server)
      this.#holders.set(place.networkId, holders)
    }
  }

  /** Takes a server out of all networks. */
  leave(server: number): void {
    for (const place of this.placesOf(server)) {
      const holders = this.#holders.get(place.networkId)
      // Another server may have got the address before this one was told that it lost it.
      for (const address of addressesOf(place)) if (holders?.get(address) === server) holders.delete(address)
    }
    this.#places.delete(server)
  }

  placesOf(server: number): readonly PrivatePlace[] {
    return this.#places.get(server) ?? []
  }

  /** Who has an address in a network. */
  holder(networkId: number, address: string): number | undefined {
    return this.#holders.get(networkId)?.get(address)
  }

  /** Whether an address is one of a server's own in any network. */
  holds(server: number, address: string): boolean {
    return this.placesOf(server).some((place) => addressesOf(place).includes(address))
  }

  /** The networks by which a server sends to an address, the one that knows most about it first. */
  exits(server: number, address: string): Exit[] {
    const exits = this.placesOf(server).flatMap(({ networkId }) => {
      const { ipRange, routes } = this.#networks.get(networkId) ?? { ipRange: undefined, routes: [] }
      const fitting = routes.filter(({ destination }) => cidrContains(destination, address))
      const byRoute = fitting.map((route) => ({ networkId, route, range: route.destination }))
      const isInside = ipRange !== undefined && cidrContains(ipRange, address)
      return isInside ? [{ networkId, route: undefined, range: ipRange }, ...byRoute] : byRoute
    })
    return exits.sort((a, b) => lengthOf(b.range) - lengthOf(a.range))
  }

  /** Where a network delivers what is for an address, by a route or because the address is its own. */
  deliver(networkId: number, address: string, route: Route | undefined): Delivery {
    const target = route?.gateway ?? address
    const server = this.holder(networkId, target)
    if (server !== undefined) return { to: 'host', server }
    const subnets = this.#networks.get(networkId)?.subnets ?? []
    const vswitchId = subnets.find(({ ipRange }) => cidrContains(ipRange, target))?.vswitchId
    return typeof vswitchId === 'number' ? { to: 'vswitch', vswitchId } : { to: 'nobody' }
  }
}

const lengthOf = (range: string) => Number(range.split('/')[1])
