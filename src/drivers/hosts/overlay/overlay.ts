/**
 * The network around servers, as rows of OVN's northbound database: packet filters, source checks, public addresses as
 * routes, private routes and the metadata address. Every change is one transaction, which all hosts take as a whole, and
 * which ends when they have: a host that is gone is not waited for.
 */
import type { FirewallDriver } from '../../../families/firewalls/driver.ts'
import type { RoutingDriver } from '../../../families/floating-ips/driver.ts'
import type { NetworkShape } from '../../../families/networks/driver.ts'
import { Database } from '../../../protocols/ovsdb/database.ts'
import type { OvnTls } from '../../../protocols/ovsdb/session.ts'
import { type BalancerOverlay, balancersOf } from './balancers.ts'
import { Convergence } from './convergence.ts'
import { forgetOld } from './groups/forgetting.ts'
import { Identities } from './identities.ts'
import { type OverlayInventory, type OverlaySubject, readInventory } from './inventory.ts'
import type { LogicalNetwork } from './logical.ts'
import { type Placement, takeHost } from './marks/placements.ts'
import type { Internal } from './marks/records.ts'
import type { PrivateNic, PublicNic } from './nics/nics.ts'
import { PrivateNics } from './nics/private-nics.ts'
import { PublicNics } from './nics/public-nics.ts'
import type { Northbound } from './northbound.ts'
import { keepPrepared, prepare } from './preparation.ts'
import { PrivateRoutes } from './routes/private-routes.ts'
import { Site } from './site.ts'
import { Ports } from './sources/ports.ts'
import { clearUnfinished } from './unfinished.ts'

export type {
  BalancerOverlay,
  Internal,
  LogicalNetwork,
  OverlayInventory,
  OverlaySubject,
  OvnTls,
  Placement,
  PrivateNic,
  PublicNic,
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
  /** The address of the metadata service on the uplink, as `ADDRESS:PORT`; null when nothing is served. */
  readonly metadata: string | null
  /** Told of what the driver finds and nobody waits for, such as a connection that was lost. */
  log?(message: string, error?: unknown): void
}

/**
 * Errors of all methods: a transient `DriverError` when the database cannot be reached, has no leader or does not answer
 * in time; a permanent one when it refuses a row. A generation older than the newest one seen is ignored.
 */
export interface Overlay {
  /**
   * Asserts what every installation needs, and goes on to: the gateway of the public network, the metadata address, and that
   * OVN checks the ports of public interfaces.
   */
  prepare(): Promise<void>
  /**
   * The internal address of a server under this generation: reserved on first use, and the same until it is forgotten.
   * Undefined for a generation that is older than the newest one seen, or that was forgotten: forgetting stays known, so
   * that only a newer generation brings a server back, whichever process asks. A host that was taken in another placement
   * group than this one is free again.
   */
  reserve(server: number, generation: number, placementGroup: number | null): Promise<Internal | undefined>
  /**
   * Takes a host for a server that has an internal address, among the servers of its placement group: no other one gets it
   * until this one takes another, leaves the group or is forgotten, whichever process asks. Answers false when another one
   * has it.
   */
  takeHost(server: number, generation: number, placement: Placement): Promise<boolean>
  /**
   * Before power: which sources the server may use, routes of its Primary IPs, and a filter that drops all until one is
   * known. Names the port before Incus creates it, so that no packet passes in between. An instance that was made again
   * has another port: the filter and the routes that are known follow it.
   */
  admit(nic: PublicNic): Promise<void>
  /** Takes away all rows of a server: filter, source checks, routes, private interfaces and the reservation. */
  forget(server: number, generation: number): Promise<void>
  readonly balancers: BalancerOverlay
  readonly firewalls: FirewallDriver
  readonly routing: RoutingDriver
  /** Makes these be all private interfaces of a server: which sources they may use, and where their alias IPs are. */
  admitPrivate(server: number, generation: number, nics: readonly PrivateNic[]): Promise<void>
  /** Makes these be all routes of a private network. */
  privateRoutes(
    network: number,
    generation: number,
    incusNetwork: string,
    routes: NetworkShape['routes'],
  ): Promise<void>
  /** Takes away what `privateRoutes` left behind of a network that is gone. */
  forgetNetwork(network: number, generation: number): Promise<void>
  /**
   * Takes away what Incus has written for one of its networks that it could not make to the end, before it is removed
   * there.
   */
  clearUnfinished(incusNetwork: string): Promise<void>
  /** Waits until all hosts have taken what was written. Errors: a transient `DriverError` when one has not in time. */
  converged(timeoutMs?: number): Promise<void>
  /** Reads all that there is; what was removed days ago is forgotten then. */
  inventory(): Promise<OverlayInventory>
  /** The server that a packet's source address belongs to: an internal, a public or a Floating IP. */
  identify(address: string): number | undefined
  close(): Promise<void>
}

/** Connects to the northbound database. Errors: a transient `DriverError` when none of its members answers and leads. */
export async function openOverlay(options: OverlayOptions): Promise<Overlay> {
  const { remotes, tls, log, metadata } = options
  const database: Northbound = new Database({
    remotes,
    ...(tls ? { tls } : {}),
    name: 'OVN_Northbound',
    ...(log ? { log } : {}),
  })
  const site = new Site({ ...options, database })
  const publicNics = new PublicNics(site, 'server')
  const privateNics = new PrivateNics(site, 'server')
  const routes = new PrivateRoutes(site)
  const identities = new Identities()
  const ports = new Ports(site, identities, log)
  const convergence = new Convergence(database)
  const settled = async (change: Promise<void>) => {
    await change
    await convergence.present()
  }
  const keep = async () => {
    await keepPrepared(site, metadata, log)
    await ports.follow()
  }
  let kept: Promise<void> | undefined
  try {
    await identities.follow(database)
    await convergence.follow()
  } catch (error) {
    database.close()
    throw error
  }
  return {
    async prepare() {
      await prepare(site, metadata)
      kept ??= keep()
      try {
        await kept
      } catch (error) {
        kept = undefined
        throw error
      }
      await ports.check()
    },
    reserve: (server, generation, placementGroup) => publicNics.reserve(server, generation, placementGroup),
    takeHost: (server, generation, placement) => takeHost(database, server, generation, placement),
    admit: (nic) => settled(publicNics.admit(nic)),
    async forget(server, generation) {
      if (await publicNics.forget(server, generation)) await privateNics.forget(server)
    },
    balancers: balancersOf(new PublicNics(site, 'balancer'), new PrivateNics(site, 'balancer')),
    firewalls: { apply: (state) => settled(publicNics.applyFilter(state)) },
    routing: { apply: (state) => settled(publicNics.applyRouting(state)) },
    admitPrivate: (server, generation, nics) => settled(privateNics.admit(server, generation, nics)),
    privateRoutes: (network, generation, incusNetwork, shape) =>
      settled(routes.apply(network, generation, incusNetwork, shape)),
    forgetNetwork: (network, generation) => routes.forget(network, generation),
    clearUnfinished: (incusNetwork) => clearUnfinished(site, incusNetwork),
    converged: (timeoutMs = 10_000) => convergence.all(timeoutMs),
    async inventory() {
      await forgetOld(database, site.now())
      return readInventory(database)
    },
    identify: (address) => identities.find(address),
    async close() {
      convergence.close()
      database.close()
    },
  }
}
