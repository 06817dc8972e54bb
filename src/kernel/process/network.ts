/**
 * The connections of one network, of which there may only be so many. Newcomers above that wait until what has arrived is
 * read; then the connections whose requests have been unfinished for longest make room for them, never one whose request
 * has arrived. Nothing of a newcomer is carried out before it has its place.
 */
import type { Socket } from 'node:net'
import { parseAddress, parseCidr } from '../../protocols/net/ip.ts'

/** The network of a caller, by which it is counted: its IPv4 address or its IPv6 /64. */
export function clientNetwork(address: string | undefined): string {
  // A link-local address has a zone id, and an IPv4 peer of an IPv6 socket has a mapped address.
  const plain = address?.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '') ?? ''
  if (plain.includes(':')) {
    const network = parseCidr(`${plain}/64`, 'drop')
    return `network:${network.ok ? network.cidr : 'unknown'}`
  }
  const parsed = parseAddress(plain)
  return `network:${parsed.ok ? parsed.address : 'unknown'}`
}

/** The state of a connection: its request is not complete yet, it is idle between two, or it is served. */
export type Doing = { readonly is: 'asking' | 'idle'; readonly since: number } | { readonly is: 'served' }

/** A connection as its network knows it. */
export interface Member {
  readonly doing: Doing
  /** Lets its requests begin, if they had to wait for a place. */
  admit(): void
  /** Ends it without carrying out anything more; `refuse` answers for it where nothing was answered yet. */
  leave(refuse: () => void): void
  /** Reads no more than one request at a time from now on. */
  readInPieces?(): void
}

/** A place for a socket, from before its TLS handshake. */
export class Place {
  readonly socket: Socket
  /** A timer's time in milliseconds. */
  readonly since = performance.now()
  member: Member | undefined
  /** True while it waits to be let in. */
  isWaiting: boolean
  /** True once the bytes that had arrived with the socket have been read. */
  isSeen = false

  constructor(socket: Socket, isWaiting: boolean) {
    this.socket = socket
    this.isWaiting = isWaiting
  }

  get doing(): Doing {
    return this.member?.doing ?? { is: 'asking', since: this.since }
  }

  admit(): void {
    this.isWaiting = false
    this.member?.admit()
  }
}

/** A connection that was unfinished or idle for longer makes room before all others, in milliseconds. */
const patienceMs = 1_000

/**
 * Orders some connections by who makes room first: unfinished requests before idle ones, and the longest first. Those
 * that are served are left out.
 */
export function inOrderOfLeaving<T extends { readonly doing: Doing }>(connections: readonly T[], nowMs: number): T[] {
  const ranked = connections.flatMap((one) => {
    const { doing } = one
    if (doing.is === 'served') return []
    const isLate = nowMs - doing.since >= patienceMs
    return [{ one, rank: (isLate ? 0 : 2) + (doing.is === 'idle' ? 1 : 0), since: doing.since }]
  })
  return ranked.sort((a, b) => a.rank - b.rank || a.since - b.since).map(({ one }) => one)
}

/** Number of newcomers that may wait, about as many as a turn of the event loop accepts. */
const mostWaiting = 512
/** The time for which a suspect network's connections are read in pieces, in milliseconds. */
const suspicionMs = 60_000

export interface NetworkLimits {
  readonly perAddress: number
  /** Closes a connection whose place was taken away, or that got none. */
  dismiss(place: Place): void
}

export class Network {
  readonly #limits: NetworkLimits
  /** The places by both ends of the socket, as that of TLS is another object than the one below it. */
  readonly #places = new Map<string, Place>()
  #waiting = 0
  #isPlanned = false
  #suspectUntil = 0

  constructor(limits: NetworkLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#places.size
  }

  get isSuspect(): boolean {
    return performance.now() < this.#suspectUntil
  }

  places(): Iterable<Place> {
    return this.#places.values()
  }

  of(socket: Socket): Place | undefined {
    return this.#places.get(endsOf(socket))
  }

  /** Starts reading the network's connections in pieces. */
  suspect(): void {
    this.#suspectUntil = performance.now() + suspicionMs
    for (const { member } of this.places()) member?.readInPieces?.()
  }

  /** Gives a socket a place until it is closed, or lets it wait for one; false when too many wait. */
  enter(socket: Socket): boolean {
    const isWaiting = this.size - this.#waiting >= this.#limits.perAddress
    if (isWaiting && this.#waiting >= mostWaiting) return false
    const place = new Place(socket, isWaiting)
    const ends = endsOf(socket)
    this.#places.set(ends, place)
    socket.once('close', () => this.#leave(ends, place))
    if (isWaiting) {
      this.#waiting++
      this.#plan()
    }
    return true
  }

  #leave(ends: string, place: Place): void {
    if (this.#places.get(ends) !== place) return
    this.#places.delete(ends)
    if (place.isWaiting) this.#waiting--
  }

  /** Between the two steps everything is read that has arrived before the first one. */
  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => {
      for (const place of this.places()) place.isSeen = true
      setImmediate(() => {
        this.#isPlanned = false
        this.#makeRoom()
        if (this.#waiting > 0) this.#plan()
      })
    })
  }

  /** Lets newcomers in, in their order, as long as others can make room; the rest of them is refused. */
  #makeRoom(): void {
    const seen = [...this.places()].filter(({ isSeen }) => isSeen)
    const inside = seen.filter(({ isWaiting }) => !isWaiting)
    const leaving = inOrderOfLeaving(inside, performance.now()).values()
    for (const newcomer of seen.filter(({ isWaiting }) => isWaiting)) {
      const isFull = this.size - this.#waiting >= this.#limits.perAddress
      const other = isFull ? leaving.next().value : undefined
      if (other) this.#dismiss(other)
      if (!isFull || other) this.#admit(newcomer)
      else this.#dismiss(newcomer)
    }
  }

  #admit(place: Place): void {
    this.#waiting--
    place.admit()
  }

  #dismiss(place: Place): void {
    this.#leave(endsOf(place.socket), place)
    this.#limits.dismiss(place)
  }
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}

/** All networks that have connections. */
export class Networks {
  readonly #limits: NetworkLimits
  readonly #networks = new Map<string, Network>()

  constructor(limits: NetworkLimits) {
    this.#limits = limits
  }

  of(key: string): Network | undefined {
    return this.#networks.get(key)
  }

  all(): Iterable<Network> {
    return this.#networks.values()
  }

  /** Gives a socket a place in its network, or lets it wait for one; undefined when too many wait. */
  enter(key: string, socket: Socket): Place | undefined {
    const network = this.#networks.get(key) ?? new Network(this.#limits)
    if (!network.enter(socket)) return undefined
    this.#networks.set(key, network)
    socket.once('close', () => this.#forget(key, network))
    return network.of(socket)
  }

  /** Forgets a network without connections; a suspect one only after the suspicion has passed. */
  #forget(key: string, network: Network): void {
    if (network.size > 0) return
    if (network.isSuspect) setTimeout(() => this.#forget(key, network), suspicionMs).unref()
    else if (this.#networks.get(key) === network) this.#networks.delete(key)
  }
}
