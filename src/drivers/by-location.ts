/**
 * Leads what is desired at a location to the infrastructure of that location, where an installation has several. What
 * concerns more than one of them goes to all at once, so that none waits for one that is away: every call may be repeated,
 * and the failure of one is the failure of the whole call.
 */
import type { LoadBalancerDriver } from '../families/load-balancers/driver.ts'
import type { NetworkShape } from '../families/networks/driver.ts'
import { DriverError, type Drivers, type MachineDrivers } from '../kernel/actions/define.ts'
import type { MetadataDriver } from '../metadata/driver.ts'

/** The drivers of one infrastructure. */
export type Machines = MachineDrivers & Pick<Drivers, 'callTimeoutMs'>

/** An infrastructure with the locations that are its own. */
export interface Site {
  /** The drivers of the moment: hosts may come to answer late. */
  readonly machines: Machines
  /** Ids. */
  readonly locations: ReadonlySet<number>
  /** The network zones of its locations. */
  readonly networkZones: ReadonlySet<string>
}

/** The drivers of several infrastructures as one. */
export function byLocation(sites: readonly Site[]): Machines {
  const at = (location: number): Machines => siteAt(sites, location).machines
  const all = () => sites.map(({ machines }) => machines)
  const where = (location: number | null) => (location === null ? all() : [at(location)])
  return {
    callTimeoutMs: Math.max(...all().map(({ callTimeoutMs = 0 }) => callTimeoutMs)),
    servers: {
      remembers: (location) => at(location).servers.remembers(location),
      apply: (state, report) => at(state.location).servers.apply(state, report),
      remove: (id, generation, location) =>
        everywhere(where(location), ({ servers }) => servers.remove(id, generation, location)),
      measure: (server, series, moments) => at(server.location).servers.measure(server, series, moments),
    },
    volumes: {
      apply: (state) => at(state.location).volumes.apply(state),
      remove: (id, generation) => everywhere(all(), ({ volumes }) => volumes.remove(id, generation)),
      attach: (state) => at(state.location).volumes.attach(state),
    },
    networks: {
      apply: (state) =>
        everywhere(
          sites.filter((site) => mayCarry(site, state.shape)),
          ({ machines }) => machines.networks.apply(state),
        ),
    },
    interfaces: { apply: (state) => at(state.location).interfaces.apply(state) },
    firewalls: { apply: (state) => at(state.location).firewalls.apply(state) },
    routing: { apply: (state) => at(state.location).routing.apply(state) },
    images: {
      capture: (wanted, report) => at(wanted.server.location).images.capture(wanted, report),
      remove: (image) => everywhere(where(image.location), ({ images }) => images.remove(image)),
    },
    console: { open: (server, location) => at(location).console.open(server, location) },
    loadBalancers: balancersOf(all, at),
    metadata: metadataOf(sites),
  }
}

/** Errors: `DriverError` for a location that the catalogue had when something was made there, and has no more. */
function siteAt(sites: readonly Site[], location: number): Site {
  const site = sites.find(({ locations }) => locations.has(location))
  if (!site) throw new DriverError(`no infrastructure has location ${location}`, { transient: false })
  return site
}

/** Errors: that of the first one that fails, once all others have done their part. */
async function everywhere<T>(all: readonly T[], call: (one: T) => Promise<void>): Promise<void> {
  const settled = await Promise.allSettled(all.map(async (one) => call(one)))
  const failed = settled.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Tells whether servers of a site can be in a network. One that is to be gone is so everywhere. */
function mayCarry({ networkZones }: Site, shape: NetworkShape | null): boolean {
  return shape === null || shape.subnets.some(({ networkZone }) => networkZones.has(networkZone))
}

function balancersOf(all: () => readonly Machines[], at: (location: number) => Machines): LoadBalancerDriver {
  const planes = () => [...new Set(all().map(({ loadBalancers }) => loadBalancers))]
  return {
    apply: (state) => at(state.location).loadBalancers.apply(state),
    remove: (id, generation) => everywhere(planes(), (plane) => plane.remove(id, generation)),
    // A plane that can tell nothing at the moment does not hide what another one sees.
    observe: (ids) => merged(planes().map((plane) => plane.observe(ids))),
    measure: (id, series, moments, step) => merged(planes().map((plane) => plane.measure(id, series, moments, step))),
    async inventory() {
      const found = (await Promise.all(planes().map((plane) => plane.inventory()))).filter((one) => one !== undefined)
      if (found.length === 0) return undefined
      return {
        epoch: found.map(({ epoch }) => epoch).join(' '),
        balancers: found.flatMap(({ balancers }) => balancers),
      }
    },
  }
}

/** All that some answers have. Errors: that of the first one, when there is no answer at all. */
async function merged<K, V>(answers: readonly Promise<ReadonlyMap<K, V>>[]): Promise<ReadonlyMap<K, V>> {
  const settled = await Promise.allSettled(answers)
  const found = settled.flatMap((answer) => (answer.status === 'fulfilled' ? [...answer.value] : []))
  const failed = settled.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected' && settled.every(({ status }) => status === 'rejected')) throw failed.reason
  return new Map(found)
}

function metadataOf(sites: readonly Site[]): MetadataDriver {
  return {
    identify(caller) {
      const known = sites.flatMap(({ machines, locations }) => {
        const found = machines.metadata.identify(caller)
        // A caller of one infrastructure is never a server of another, whatever it says of itself.
        return found ? [{ ...found, locations }] : []
      })
      // Internal addresses of two clusters may be the same, and neither may read what the other one's server is told.
      return known.length === 1 ? known[0] : undefined
    },
  }
}
