/**
 * The network around servers, as rows of OVN's northbound database: packet filters, source checks, public addresses as
 * routes, private routes and the metadata address. Every change is one transaction, which all hosts take as a whole.
 */
import type { FirewallDriver } from '../../../families/firewalls/driver.ts'
import type { RoutingDriver } from '../../../families/floating-ips/driver.ts'
import type { NetworkShape } from '../../../families/networks/driver.ts'

/** The files of a mutual TLS connection, in PEM. */
export interface OvnTls {
  readonly ca: string
  readonly certificate: string
  readonly key: string
}

/** How a network of Incus is called in OVN. */
export interface LogicalNetwork {
  readonly logicalSwitch: string
  readonly logicalRouter: string
}

export interface OverlayOptions {
  /** Members of the northbound database: `unix:PATH`, `tcp:HOST:PORT` or `ssl:HOST:PORT`. */
  readonly remotes: readonly string[]
  /** Needed for `ssl:`. */
  readonly tls?: OvnTls
  /** The name in Incus of the OVN network of public interfaces. */
  readonly publicNetwork: string
  /** Asks Incus how one of its networks is called in OVN; undefined for one that is not there. */
  logicalNetwork(incusNetwork: string): Promise<LogicalNetwork | undefined>
  /** Where metadata is served, as `ADDRESS:PORT` on the uplink side; null when nothing is served. */
  readonly metadata: string | null
  /** Told of what the driver finds and nobody waits for, such as a connection that was lost. */
  log?(message: string, error?: unknown): void
}

/** Addresses that packets for a server are routed to; its user never sees them. */
export interface Internal {
  readonly ipv4: string
  readonly ipv6: string
}

/** The public interface of a server. */
export interface PublicSide {
  readonly server: number
  readonly generation: number
  /** `volatile.uuid` of the instance. */
  readonly instance: string
  /** Of `eth0`. */
  readonly mac: string
  readonly ipv4: string | null
  /** A /64 network. */
  readonly ipv6: string | null
}

/** An interface of a server in a private network. */
export interface PrivateSide {
  readonly network: number
  /** The network's name in Incus. */
  readonly incusNetwork: string
  /** `volatile.uuid` of the instance. */
  readonly instance: string
  /** Name of the device in Incus, such as `eth1`. */
  readonly device: string
  readonly mac: string
  readonly ip: string
  readonly aliasIps: readonly string[]
}

/** What there is with marks of ours, by the ids that the marks name. */
export interface OverlayInventory {
  /** Servers with any row, and the newest generation of their public side. */
  readonly servers: ReadonlyMap<number, { readonly generation: number; readonly internal: Internal }>
  /** Servers by public address or /64 network that leads to them. */
  readonly routes: ReadonlyMap<string, number>
  /** The generation of the packet filter in force, by server. */
  readonly filters: ReadonlyMap<number, number>
  /** Private networks with routes or interfaces. */
  readonly networks: ReadonlySet<number>
}

/**
 * Load balancers, whose ids are their own: `server` stands for the id of one in their sides. What they have in OVN is as of
 * servers, but marked by their kind, and nothing filters what reaches them.
 */
export interface BalancerOverlay extends Pick<Overlay, 'reserve' | 'admitPrivate'> {
  /** Makes these be all public addresses of a balancer, before it runs; they may change while it does. */
  admit(side: PublicSide): Promise<void>
  /** Takes away all rows of a balancer. Null also forgets its generation: what comes under its id then is another one. */
  forget(balancer: number, generation: number | null): Promise<void>
  /**
   * The newest generation of each balancer, and whether it is forgotten: a forgotten one stays remembered, so that only a
   * newer generation is admitted.
   */
  generations(): Promise<ReadonlyMap<number, { readonly generation: number; readonly isForgotten: boolean }>>
}

/**
 * Errors of all methods: a transient `DriverError` when the database cannot be reached, has no leader or does not answer
 * in time; a permanent one when it refuses a row. A generation older than the newest one seen is ignored.
 */
export interface Overlay {
  /** Asserts what every installation needs: the gateway addresses of the public network, the metadata address. Idempotent. */
  prepare(): Promise<void>
  /**
   * The internal address of a server under this generation: reserved on first use, and the same until it is forgotten.
   * Undefined for a generation that is older than the newest one seen, or that was forgotten: forgetting stays known, so
   * that only a newer generation brings a server back, whichever process asks.
   */
  reserve(server: number, generation: number): Promise<Internal | undefined>
  /**
   * Before power: which sources the server may use, routes of its Primary IPs, and a filter that drops all until one is
   * known. Names the port before Incus creates it, so that no packet passes in between. An instance that was made again
   * has another port: the filter and the routes that are known follow it.
   */
  admit(side: PublicSide): Promise<void>
  /** Takes away all rows of a server: filter, source checks, routes, private interfaces and the reservation. */
  forget(server: number, generation: number): Promise<void>
  readonly balancers: BalancerOverlay
  readonly firewalls: FirewallDriver
  readonly routing: RoutingDriver
  /** Makes these be all private interfaces of a server: which sources they may use, and where their alias IPs are. */
  admitPrivate(server: number, generation: number, sides: readonly PrivateSide[]): Promise<void>
  /** Makes these be all routes of a private network. */
  privateRoutes(
    network: number,
    generation: number,
    incusNetwork: string,
    routes: NetworkShape['routes'],
  ): Promise<void>
  /** Takes away what `privateRoutes` left behind of a network that is gone. */
  forgetNetwork(network: number, generation: number): Promise<void>
  /** Waits until all hosts have taken what was written. Errors: a transient `DriverError` when one has not in time. */
  converged(timeoutMs?: number): Promise<void>
  inventory(): Promise<OverlayInventory>
  /** The server that a packet's source address belongs to: an internal, a public or a Floating IP. */
  identify(address: string): number | undefined
  close(): Promise<void>
}

/** Connects to the northbound database. Errors: one line for the operator when none of the remotes answers. */
export async function openOverlay(_options: OverlayOptions): Promise<Overlay> {
  throw new Error('the overlay is not there yet')
}
