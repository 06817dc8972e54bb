/**
 * A complete infrastructure in memory. It keeps what it was told, refuses what is older than what it has, and can be
 * made slow, unreliable or dead at any call, so that tests can compare the world with the database afterwards. It is lost
 * with its process, and each process has its own: what is not there is made from what a call says about it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { AuthorityDriver, DelegationDriver } from '../../families/certificates/driver.ts'
import type { FilterState, FirewallDriver } from '../../families/firewalls/driver.ts'
import type { RoutingDriver, RoutingState } from '../../families/floating-ips/driver.ts'
import type { Capture, ImageDriver, ImageRef } from '../../families/images/driver.ts'
import type { ServerDriver, ServerState } from '../../families/servers/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import { type Clock, runningClock } from '../../kernel/process/clock.ts'
import type { MetadataDriver } from '../../metadata/driver.ts'
import { uncheckedDelegation } from '../resolver/unchecked.ts'
import { simulateAuthority } from './authority.ts'

/** How one call goes. `timeout` means that the caller hears of no result, whether or not there was an effect. */
export type Behaviour =
  | 'ok'
  | 'error before effect'
  | 'error after effect'
  | 'timeout not applied'
  | 'timeout applied'
  | 'partial'
  | 'slow'
  | 'never returns'

export interface Call {
  readonly driver: 'servers' | 'firewalls' | 'routing' | 'images' | 'authority'
  readonly method: 'apply' | 'remove' | 'capture' | 'order' | 'validate' | 'issue'
  /** The server that it concerns; for the authority, the certificate. */
  readonly serverId: number
}

/** Chooses the behaviour of a call; undefined means ok. */
export type Behave = (call: Call) => Behaviour | undefined

export interface SimulatedServer {
  readonly state: ServerState
  readonly power: 'on' | 'off'
  /** How often it was restarted. */
  readonly restarts: number
  /** How often an image was written to its disk. */
  readonly installs: number
}

export interface SimulatedImage {
  readonly serverId: number
  readonly sizeMb: number
}

/** What exists out there. */
export interface SimulatedWorld {
  readonly servers: ReadonlyMap<number, SimulatedServer>
  readonly filters: ReadonlyMap<number, FilterState>
  /** The Floating IPs that lead to each server. */
  readonly routes: ReadonlyMap<number, RoutingState>
  /** Copies of disks. */
  readonly images: ReadonlyMap<number, SimulatedImage>
}

export interface Simulation {
  readonly drivers: {
    readonly servers: ServerDriver
    readonly firewalls: FirewallDriver
    readonly routing: RoutingDriver
    readonly images: ImageDriver
    readonly metadata: MetadataDriver
    readonly authority: AuthorityDriver
    readonly delegation: DelegationDriver
  }
  readonly world: SimulatedWorld
  /** Every call so far, oldest first; kept only once a test has asked for it. */
  record(): readonly Call[]
  /** Sets how calls go from now on. */
  behave(behave: Behave): void
}

export interface SimulationOptions {
  /** Milliseconds that each call takes. */
  readonly delayMs: number
  /** Milliseconds that a slow call takes on top. */
  readonly slowMs?: number
  /** By which certificates are dated. */
  readonly clock?: Clock
}

/** Makes an empty world and the drivers that reach it. */
export function createSimulation({ delayMs, slowMs = 500, clock = runningClock() }: SimulationOptions): Simulation {
  const servers = new Map<number, SimulatedServer>()
  const filters = new Map<number, FilterState>()
  const routes = new Map<number, RoutingState>()
  const images = new Map<number, SimulatedImage>()
  const removedImages = new Set<number>()
  /** Newest generation seen of each resource, also of those that are gone. */
  const seen = {
    servers: new Map<number, number>(),
    filters: new Map<number, number>(),
    routes: new Map<number, number>(),
  }
  let behave: Behave = () => undefined
  let calls: Call[] | undefined

  /** Lets a call happen the way it was ordered to; `effect(part)` does all of it or a part. */
  const perform = async (call: Call, effect: (part: 'all' | 'half') => void): Promise<void> => {
    calls?.push(call)
    if (delayMs > 0) await delay(delayMs)
    const behaviour = behave(call) ?? 'ok'
    if (behaviour === 'slow') await delay(slowMs)
    if (behaviour === 'never returns') await new Promise(() => undefined)
    if (behaviour === 'partial') effect('half')
    else if (!behaviour.endsWith('before effect') && behaviour !== 'timeout not applied') effect('all')
    if (behaviour.startsWith('error')) throw new DriverError('the infrastructure refused', { transient: false })
    if (behaviour.startsWith('timeout') || behaviour === 'partial') {
      throw new DriverError('the infrastructure did not answer in time', { transient: true })
    }
  }

  const isStale = (newest: Map<number, number>, id: number, generation: number) => generation < (newest.get(id) ?? 0)

  const applyServer = (state: ServerState, part: 'all' | 'half') => {
    const known = servers.get(state.id)
    if (isStale(seen.servers, state.id, state.generation)) return
    // What was removed stays removed until somebody wants it anew.
    if (!known && seen.servers.get(state.id) === state.generation) return
    if (part === 'all') seen.servers.set(state.id, state.generation)
    const cycles = state.cycle !== null && state.cycle !== (known?.state.cycle ?? null)
    servers.set(state.id, {
      state: part === 'all' ? state : { ...state, ...unfinished(known), ipv4: null },
      power: part === 'all' ? state.power : (known?.power ?? 'off'),
      installs: (known?.installs ?? 0) + (isInstalled(state, known) && part === 'all' ? 1 : 0),
      restarts: (known?.restarts ?? 0) + (cycles && part === 'all' ? 1 : 0),
    })
  }

  const capture = ({ imageId, server }: Capture, part: 'all' | 'half') => {
    if (!servers.has(server.id)) applyServer(server, part)
    const source = servers.get(server.id)
    if (part === 'half' || removedImages.has(imageId) || images.has(imageId) || !source) return
    images.set(imageId, { serverId: server.id, sizeMb: source.state.diskGb * 60 })
  }

  const removeImage = ({ imageId }: ImageRef, part: 'all' | 'half') => {
    if (part === 'half') return
    removedImages.add(imageId)
    images.delete(imageId)
  }

  const removeServer = (id: number, generation: number, part: 'all' | 'half') => {
    if (isStale(seen.servers, id, generation)) return
    filters.delete(id)
    routes.delete(id)
    if (part === 'half') return
    seen.servers.set(id, generation)
    servers.delete(id)
  }

  const applyFilter = (state: FilterState, part: 'all' | 'half') => {
    const { serverId, generation } = state
    if (isStale(seen.filters, serverId, generation)) return
    if (!filters.has(serverId) && seen.filters.get(serverId) === generation) return
    if (part === 'all') seen.filters.set(serverId, generation)
    filters.set(serverId, part === 'all' ? state : { ...state, inbound: { otherwise: 'drop', accept: [] } })
  }

  const applyRouting = (state: RoutingState, part: 'all' | 'half') => {
    const { serverId, generation } = state
    if (isStale(seen.routes, serverId, generation)) return
    if (!routes.has(serverId) && seen.routes.get(serverId) === generation) return
    if (part === 'all') seen.routes.set(serverId, generation)
    routes.set(serverId, part === 'all' ? state : { ...state, ips: state.ips.slice(0, 1) })
  }

  return {
    drivers: {
      metadata: {
        // There is no network to be on: a path that names a server stands for being there.
        identify({ path }) {
          const match = /^\/servers\/([1-9]\d{0,15})(\/.*)?$/.exec(path)
          return match ? { serverId: Number(match[1]), path: match[2] ?? '/' } : undefined
        },
      },
      authority: simulateAuthority(
        (method, serverId, effect) => perform({ driver: 'authority', method, serverId }, effect),
        clock,
      ),
      delegation: uncheckedDelegation,
      routing: {
        apply: (state) =>
          perform({ driver: 'routing', method: 'apply', serverId: state.serverId }, (part) =>
            applyRouting(state, part),
          ),
      },
      images: {
        async capture(wanted) {
          await perform({ driver: 'images', method: 'capture', serverId: wanted.server.id }, (part) =>
            capture(wanted, part),
          )
          const made = images.get(wanted.imageId)
          if (!made) throw new DriverError('there is nothing to copy', { transient: false })
          return made.sizeMb
        },
        remove: (image) =>
          perform({ driver: 'images', method: 'remove', serverId: image.serverId }, (part) => removeImage(image, part)),
      },
      servers: {
        apply: (state) =>
          perform({ driver: 'servers', method: 'apply', serverId: state.id }, (part) => applyServer(state, part)),
        remove: (serverId, generation) =>
          perform({ driver: 'servers', method: 'remove', serverId }, (part) =>
            removeServer(serverId, generation, part),
          ),
      },
      firewalls: {
        apply: (state) =>
          perform({ driver: 'firewalls', method: 'apply', serverId: state.serverId }, (part) =>
            applyFilter(state, part),
          ),
      },
    },
    world: { servers, filters, routes, images },
    record() {
      calls ??= []
      return calls
    },
    behave(next) {
      behave = next
    },
  }
}

/** A disk is written when the server is new and whenever another action than before asks for it. */
function isInstalled({ installation }: ServerState, known: SimulatedServer | undefined): boolean {
  return known === undefined || known.state.installation !== installation
}

/** What half an application leaves as it was. */
function unfinished(known: SimulatedServer | undefined): Pick<ServerState, 'cycle' | 'installation'> {
  return { cycle: known?.state.cycle ?? null, installation: known?.state.installation ?? null }
}
