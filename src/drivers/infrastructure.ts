/**
 * Chooses the infrastructure that runs the machines and carries their traffic, for each location. Nothing above the
 * drivers knows which one it is: another one is added in this folder and chosen here (docs/adr/0023-real-hosts.md).
 */
import { type Capabilities, everything } from '../catalogue/capabilities.ts'
import { type Simulation, simulate } from '../families.ts'
import type { Drivers } from '../kernel/actions/define.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Caller } from '../metadata/driver.ts'
import { byLocation, type Machines, type Site } from './by-location.ts'
import type { Hosts } from './hosts/open.ts'
import { type ClusterOptions, type ClusterParts, simulatedName } from './hosts/options.ts'
import { type DataPlane, type DataPlaneOptions, openDataPlane } from './load-balancers/data-plane.ts'
import { modelled } from './modelled.ts'
import type { Saved } from './simulated/simulation.ts'
import type { Files } from './simulated/storage-boxes/kept-files.ts'
import type { OpenedStorage, PassingStorage, StorageFacts, StoragePlan } from './storage/open.ts'

/** A location, as far as it concerns what runs its machines. */
export interface HostedLocation {
  readonly id: number
  readonly name: string
  readonly network_zone: string
  /** Undefined for the usual one. */
  readonly infrastructure?: string
}

export interface InfrastructureOptions {
  /** Milliseconds that a call of the simulated infrastructure takes. */
  readonly delayMs: number
  readonly dataPlane: DataPlaneOptions
  readonly storage: Omit<StoragePlan, 'addressPool' | 'log'>
  readonly locations: readonly HostedLocation[]
  /** The name of what runs the machines of locations that name nothing else. */
  readonly usual: string
  readonly clusters: readonly ClusterOptions[]
  readonly hosts: Omit<ClusterParts, 'clock'>
}

/** A cluster with the locations that it runs. */
export interface OpenedCluster extends Hosts {
  readonly name: string
  /** Ids. */
  readonly locations: ReadonlySet<number>
  readonly networkZones: ReadonlySet<string>
}

export interface Infrastructure {
  readonly drivers: Drivers
  /** Tells what a location can do at the moment, by its id. */
  capabilities(location: number): Capabilities
  /** The name of what runs the machines of a location. */
  infrastructureOf(location: number): string
  readonly clusters: readonly OpenedCluster[]
  readonly storage: StorageFacts
  /** All of it again, or the words for what of it is not in memory, and cannot be copied. */
  readonly inMemory: InMemory | string
  close(): Promise<void>
}

/** Calls may take so long anyway. */
const usualTimeoutMs = 60_000

/** Opens what the locations name. Errors: one line for the operator. */
export async function openInfrastructure(options: InfrastructureOptions): Promise<Infrastructure> {
  const places = placesOf(options)
  const opened = new AsyncDisposableStack()
  try {
    const clusters = await openClusters(options, places, opened)
    const dataPlane = await planeBeside(places, options.dataPlane)
    opened.defer(async () => dataPlane?.close())
    const storage = await storageFor(options)
    opened.defer(() => storage.close())
    const first = 'cloud' in storage ? storage.cloud() : undefined
    // Whoever asks for doors gets them before the first box.
    if ('cloud' in storage && storage.hasDoors) await first!.driver()
    return {
      ...composed(options, places, clusters, { dataPlane, storage, first }),
      storage: storage.facts,
      infrastructureOf: (location) => clusters.find(({ locations }) => locations.has(location))?.name ?? simulatedName,
      clusters,
      close: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** Locations by the name of what runs their machines. */
export type Places = ReadonlyMap<string, readonly HostedLocation[]>

/** The locations of each infrastructure that has any. Errors: a location that names none. */
export function placesOf({
  locations,
  usual,
  clusters,
}: Pick<InfrastructureOptions, 'locations' | 'usual' | 'clusters'>): Places {
  const names = [simulatedName, ...clusters.map(({ name }) => name)]
  return Map.groupBy(locations, ({ name: location, infrastructure = usual }) => {
    if (names.includes(infrastructure)) return infrastructure
    throw new Error(
      `location ${location} names the infrastructure ${infrastructure}, which is none of ${names.join(', ')}`,
    )
  })
}

async function openClusters(
  { clusters, dataPlane: { clock }, hosts }: InfrastructureOptions,
  places: Places,
  opened: AsyncDisposableStack,
): Promise<OpenedCluster[]> {
  const found: OpenedCluster[] = []
  for (const cluster of clusters.filter(({ name }) => places.has(name))) {
    found.push(await openCluster(cluster, places, { ...hosts, clock }, opened))
  }
  return found
}

/** Opens one cluster, until `opened` is disposed of. Errors: one line for the operator. */
export async function openCluster(
  cluster: ClusterOptions,
  places: Places,
  parts: ClusterParts,
  opened: AsyncDisposableStack,
): Promise<OpenedCluster> {
  // Loaded only where there are hosts, to keep the start fast.
  const [{ openIncus }, { openLate }] = await Promise.all([import('./hosts/open.ts'), import('./hosts/late.ts')])
  // A command that only looks wants to know that nobody answers.
  const open = parts.isLookedAt ? openIncus : openLate
  const hosts = await open(cluster, parts).catch((error: unknown) => {
    throw new Error(`infrastructure ${cluster.name}: ${(error as Error).message}`, { cause: error })
  })
  opened.defer(() => hosts.close())
  return Object.assign(hosts, { name: cluster.name, ...whereAre(places.get(cluster.name)) })
}

const whereAre = (locations: readonly HostedLocation[] = []) => ({
  locations: new Set(locations.map(({ id }) => id)),
  networkZones: new Set(locations.map(({ network_zone }) => network_zone)),
})

/** Opens what carries the traffic of Load Balancers for locations that are on no hosts; undefined when there are none. */
async function planeBeside(places: Places, options: DataPlaneOptions): Promise<DataPlane | undefined> {
  if (!places.has(simulatedName)) return undefined
  return await openDataPlane(options).catch((error: unknown) => {
    throw new Error(`--load-balancers: ${(error as Error).message}`, { cause: error })
  })
}

/** Opens where files are, and what leads to them. Errors: one line for the operator. */
async function storageFor({
  storage,
  dataPlane: { addressPool, log },
}: InfrastructureOptions): Promise<OpenedStorage | PassingStorage> {
  const plan = { ...storage, addressPool, log }
  // Loaded when it is needed, to keep the start of everything else fast.
  const { openLasting, PassingStorage } = await import('./storage/open.ts')
  return storage.isPassing ? PassingStorage.open(plan) : openLasting(plan)
}

interface Beside {
  readonly dataPlane: DataPlane | undefined
  readonly storage: OpenedStorage | PassingStorage
  /** The files of this cloud, where they go with it. */
  readonly first: Files | undefined
}

function composed(
  { delayMs, dataPlane: { clock } }: InfrastructureOptions,
  places: Places,
  clusters: readonly OpenedCluster[],
  { dataPlane, storage, first }: Beside,
): Pick<Infrastructure, 'drivers' | 'capabilities' | 'inMemory'> {
  const files = 'cloud' in storage ? () => storage.cloud() : undefined
  const inMemory = keptInMemory(simulate({ delayMs, clock, beside: first && { files: first } }), { delayMs, files })
  const lasting = 'cloud' in storage ? undefined : { storageBoxes: storage.driver }
  const simulated = { ...inMemory.drivers, ...lasting }
  const loadBalancers = dataPlane?.driver ?? simulated.loadBalancers
  const outside = clusters.length > 0 ? `machines on hosts (${clusters.map(({ name }) => name).join(', ')})` : undefined
  const callTimeoutMs = Math.max(delayMs * 10, usualTimeoutMs)
  const own = { ...simulated, loadBalancers, ...(callTimeoutMs > usualTimeoutMs ? { callTimeoutMs } : {}) }
  if (outside === undefined)
    return { drivers: own, capabilities: () => everything, inMemory: dataPlane ? realBalancers : inMemory }
  const sites: Site[] = [...clusters]
  const here = places.get(simulatedName)
  if (here) sites.push({ machines: onThisMachine(own), ...whereAre(here) })
  return {
    inMemory: outside,
    drivers: { ...simulated, reachability: modelled(clock), ...byLocation(sites) },
    capabilities: (location) => clusters.find(({ locations }) => locations.has(location))?.capabilities() ?? everything,
  }
}

const realBalancers = 'Load Balancers that carry traffic (--load-balancers simulated has others)'

/** An infrastructure in memory, of which there can be another one that begins as this one is. */
export interface InMemory extends Pick<Simulation, 'drivers' | 'forget' | 'end' | 'save'> {
  copy(clock: Clock): InMemory
  /** Begins with what was saved. Errors: `TypeError`. */
  load(clock: Clock, saved: Saved): InMemory
}

/** Each copy begins with these. */
interface MemoryOptions {
  readonly delayMs: number
  /** Makes room for its files; without it there are none. */
  readonly files?: (() => Files) | undefined
}

export function keptInMemory(
  simulation: Pick<Simulation, 'drivers' | 'copy' | 'forget' | 'end' | 'save' | 'load'>,
  given: MemoryOptions,
): InMemory {
  const { drivers, forget, end, save } = simulation
  const { delayMs, files } = given
  const optionsAt = (clock: Clock) => ({ delayMs, clock, beside: files && { files: files() } })
  return {
    ...{ drivers, forget, end, save },
    copy: (clock) => keptInMemory(simulation.copy(optionsAt(clock)), given),
    load: (clock, saved) => keptInMemory(simulation.load(optionsAt(clock), saved), given),
  }
}

/** Beside servers on hosts, whoever names a simulated server in the path must be on this machine. */
function onThisMachine(drivers: Drivers): Machines {
  const isHere = ({ remoteAddress, localAddress }: Caller) =>
    remoteAddress === localAddress || /^(::ffff:)?127\./.test(remoteAddress)
  return {
    ...drivers,
    metadata: { identify: (caller) => (isHere(caller) ? drivers.metadata.identify(caller) : undefined) },
  }
}
