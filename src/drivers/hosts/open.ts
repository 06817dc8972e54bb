/** Opens one Incus cluster with the network beneath it. */
import { join } from 'node:path'
import type { Capabilities } from '../../catalogue/capabilities.ts'
import { Incus } from '../../protocols/incus/client.ts'
import type { Reconcilable } from '../../reconcile/inventory.ts'
import type { Machines } from '../by-location.ts'
import { type BalancerDriver, openBalancers } from './balancers/driver.ts'
import type { Finding } from './finding.ts'
import { findings, type WantedImage } from './findings.ts'
import { incusImages } from './images/images.ts'
import { type ImageSource, imageAliases, importImage } from './images/imports.ts'
import { Media } from './images/media.ts'
import { remark, survey } from './inventory/inventory.ts'
import { architecturesOf, hostsUp, membersOf } from './members.ts'
import { Measurements } from './metrics/measurements.ts'
import { incusInterfaces } from './networks/interfaces.ts'
import { incusNetworks } from './networks/networks.ts'
import { claim, ownerOf } from './notes.ts'
import type { ClusterOptions, ClusterParts } from './options.ts'
import { type LogicalNetwork, type Overlay, openOverlay } from './overlay/overlay.ts'
import { pathsFound } from './paths/paths.ts'
import { checkRequirements } from './requirements.ts'
import { incusConsoles } from './screens/screens.ts'
import { Servers } from './servers/servers.ts'
import { Tombstones } from './tombstones.ts'
import { incusVolumes } from './volumes/volumes.ts'

/** The hosts of one cluster, as far as they know of themselves. */
export interface Hosts extends Reconcilable {
  readonly machines: Machines
  /**
   * Checks that the cluster has what Wolke needs, such as the images of the catalogue, and that packets pass between all
   * hosts. Errors: `DriverError`, and the reason of the signal, with which nothing is left behind.
   */
  check(images: readonly WantedImage[], signal?: AbortSignal): Promise<Finding[]>
  /** All hosts, and whether each is online. Errors: `DriverError`. */
  members(): Promise<readonly { readonly name: string; readonly isUp: boolean }[]>
  /** The same without sending any packet, so that nothing is made for it. Errors: `DriverError`. */
  look(images: readonly WantedImage[]): Promise<Finding[]>
  /** Names of aliases by which the cluster has images, and what Linux calls its architectures. Errors: `DriverError`. */
  images(): Promise<{ readonly aliases: ReadonlySet<string>; readonly architectures: ReadonlySet<string> }>
  /** Makes an alias lead to an image (see `importImage`). */
  importImage(alias: string, source: ImageSource): Promise<boolean>
  /** Tells what its locations can do at the moment. */
  capabilities(): Capabilities
  close(): Promise<void>
}

/** Copies of disks take minutes. */
export const callTimeoutMs = 900_000

/** Connects to the cluster. Errors: one line for the operator when it cannot be reached or lacks what is needed. */
export async function openIncus(options: ClusterOptions, parts: ClusterParts): Promise<Hosts> {
  const incus = new Incus(options.incus)
  const media = mediaOf(incus, options, parts)
  try {
    await checkRequirements(incus, options)
    await media?.open()
    const overlay = await openNetwork(incus, options, parts)
    const balancers = await openBalancersOn(incus, overlay, options, parts)
    return hostsOf({ incus, media, overlay, balancers }, options, parts)
  } catch (error) {
    await media?.close()
    incus.close()
    throw error
  }
}

/** Containers have no drives. */
function mediaOf(incus: Incus, { instanceType, pool }: ClusterOptions, { log }: ClusterParts): Media | undefined {
  return instanceType === 'container' ? undefined : new Media({ incus, pool, log })
}

async function openNetwork(incus: Incus, options: ClusterOptions, { log, isLookedAt }: ClusterParts): Promise<Overlay> {
  const overlay = await openOverlay({
    ...options.ovn,
    publicNetwork: options.publicNetwork,
    metadata: options.metadata,
    logicalNetwork: (name) => logicalNetworkOf(incus, name),
    log: (message, err) => log.warn({ hosts: options.name, err }, message),
  })
  try {
    if (!isLookedAt) await overlay.prepare()
    return overlay
  } catch (error) {
    await overlay.close()
    throw error
  }
}

async function openBalancersOn(
  incus: Incus,
  overlay: Overlay,
  { pool, publicNetwork }: ClusterOptions,
  { directory, log }: ClusterParts,
): Promise<BalancerDriver> {
  try {
    return await openBalancers({
      incus,
      overlay: overlay.balancers,
      pool,
      publicNetwork,
      directory: directory && join(directory, 'load-balancers'),
      log,
    })
  } catch (error) {
    await overlay.close()
    throw error
  }
}

/** Incus says how it calls the router of a network, and calls the switch alike. */
async function logicalNetworkOf(incus: Incus, name: string): Promise<LogicalNetwork | undefined> {
  const path = `/1.0/networks/${encodeURIComponent(name)}/state`
  const found = await incus.get<{ ovn?: { logical_router?: string } | null }>(path)
  const logicalRouter = found?.value.ovn?.logical_router
  if (!logicalRouter) return undefined
  return { logicalRouter, logicalSwitch: logicalRouter.replace(/-lr$/, '-ls-int') }
}

interface Opened {
  readonly incus: Incus
  readonly media: Media | undefined
  readonly overlay: Overlay
  readonly balancers: BalancerDriver
}

function hostsOf({ incus, media, overlay, balancers }: Opened, options: ClusterOptions, parts: ClusterParts): Hosts {
  const tombstones = new Tombstones(incus)
  const servers = new Servers({ incus, overlay, tombstones, options, media, overcommit: options.overcommit })
  const measurements = measurementsOf(incus, options, parts)
  const consoles = incusConsoles(incus)
  return {
    machines: {
      callTimeoutMs,
      servers: {
        // Everything that counts is in the engines.
        remembers: async () => true,
        apply: (state, report) => servers.apply(state, report),
        remove: (id, generation) => servers.remove(id, generation),
        measure: async ({ id }, series, moments) => measurements?.measure(id, series, moments) ?? new Map(),
      },
      volumes: incusVolumes({ incus, tombstones, pool: options.pool, instanceType: options.instanceType }),
      networks: incusNetworks({ incus, tombstones, overlay }),
      interfaces: incusInterfaces({ incus, overlay }),
      firewalls: overlay.firewalls,
      routing: overlay.routing,
      loadBalancers: balancers,
      images: incusImages({ incus, tombstones, restore: (server) => servers.apply(server) }),
      console: consoles.driver,
      metadata: {
        identify({ remoteAddress, path }) {
          const serverId = overlay.identify(remoteAddress.replace(/^::ffff:/, ''))
          return serverId === undefined ? undefined : { serverId, path, calledAt: '169.254.169.254' }
        },
      },
    },
    look: (images) => findings({ incus, media, overlay }, options, images),
    check: async (images, signal) => [
      ...(await findings({ incus, media, overlay }, options, images)),
      ...(await pathsFound({ incus, options, signal }, await membersOf(incus))),
    ],
    members: () => hostsUp(incus),
    images: async () => ({ aliases: await imageAliases(incus), architectures: await architecturesOf(incus) }),
    importImage: (alias, source) => importImage(incus, alias, source, options.instanceType),
    uphold: () => overlay.prepare(),
    inventory: () => survey({ incus, overlay, pool: options.pool }),
    owner: () => ownerOf(incus),
    claim: (installation) => claim(incus, installation),
    remark: (thing) => remark({ incus, pool: options.pool }, thing),
    capabilities: () => capabilitiesOf(options, { hasBalancers: balancers.hasImage, hasRescue: media?.hasRescue }),
    async close() {
      consoles.close()
      await balancers.close()
      await measurements?.close()
      await media?.close()
      await overlay.close()
      incus.close()
    },
  }
}

function measurementsOf(incus: Incus, { name }: ClusterOptions, { directory, log }: ClusterParts) {
  if (directory === undefined) return undefined
  return new Measurements({
    incus,
    directory: join(directory, 'servers'),
    online: async () => {
      const members = await membersOf(incus)
      return members.filter(({ status }) => status === 'Online').map((member) => member.server_name)
    },
    log: (message, err) => log.warn({ hosts: name, err }, message),
  })
}

/** Abilities of a cluster that depend on what the operator imported. */
interface Imported {
  readonly hasBalancers: boolean
  readonly hasRescue: boolean | undefined
}

/** A container has neither a boot order nor disks of its own. */
export function capabilitiesOf(
  { instanceType }: Pick<ClusterOptions, 'instanceType'>,
  { hasBalancers, hasRescue = false }: Imported,
): Capabilities {
  const isMachine = instanceType === 'virtual-machine'
  return {
    rescue: isMachine && hasRescue,
    iso: isMachine,
    block_volumes: isMachine,
    console: true,
    load_balancers: hasBalancers,
    vswitches: false,
  }
}
