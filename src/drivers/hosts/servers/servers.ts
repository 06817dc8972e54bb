/**
 * Servers as instances of Incus. What is wanted of a server, with its generation, is written into the instance before
 * anything is done, under the condition that nobody else has written; then one task after the other brings it about, each
 * chosen by what is read. So a call that was cut off goes on with the next one, and one that comes late finds a newer
 * generation and does nothing.
 */
import type { ServerState } from '../../../families/servers/driver.ts'
import { DriverError, type Report } from '../../../kernel/actions/define.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import { editInstance, type Instance } from '../../../protocols/incus/edit.ts'
import { settleOperations } from '../../../protocols/incus/operations.ts'
import type { Media } from '../images/media.ts'
import { type Candidate, candidatesOf, onMember, Placements, withGroup } from '../members.ts'
import { generationOf, idOf, imageAlias, serverName } from '../names.ts'
import type { Internal, Overlay, PublicNic } from '../overlay/overlay.ts'
import type { Tombstones } from '../tombstones.ts'
import { boot, install, instanceOf, move, prepareBoot, removeInstance, setPassword, stop } from './guest.ts'
import {
  type InstanceOptions,
  isRunning,
  needKnownPower,
  newInstance,
  nextTask,
  powerWanted,
  type Task,
} from './instances.ts'
import { publicMac } from './macs.ts'

export interface ServerParts {
  readonly incus: Incus
  readonly overlay: Overlay
  readonly tombstones: Tombstones
  readonly options: InstanceOptions
  /** Media that servers can boot from beside their disks; undefined where they have no drives. */
  readonly media: Media | undefined
  /** A host may promise so many times its memory to servers. */
  readonly overcommit: number
}

/** After more tasks than these the instance refuses to become what it is configured to be. */
const mostTasks = 12

export class Servers {
  readonly #parts: ServerParts
  readonly #placements = new Placements()

  constructor(parts: ServerParts) {
    this.#parts = parts
  }

  /** Makes the server be as described (see `ServerDriver`). Errors: `DriverError`. */
  apply(state: ServerState, report?: Report): Promise<void> {
    return onMember(this.#parts.incus, serverName(state.id), () => this.#apply(state, report))
  }

  async #apply(state: ServerState, report: Report | undefined): Promise<void> {
    const { incus, overlay, tombstones, options, media } = this.#parts
    if (!media) refuseOtherSystems(state)
    if (await tombstones.cover(tombOf(state.id), state.generation)) return
    const [internal] = await Promise.all([
      overlay.reserve(state.id, state.generation, state.placementGroup),
      settleOperations(incus, serverName(state.id)),
    ])
    if (!internal) return
    for (let tasks = 0; tasks < mostTasks; tasks++) {
      const instance = await this.#find(state.id)
      if (!instance) {
        await this.#create(state, internal, report)
        continue
      }
      if (generationOf(instance.config) > state.generation) return this.#yield(instance)
      await media?.need(state, instance.location)
      const task = nextTask(instance, state, internal, options)
      // Without a task, it stands behind what the network knows of it all the same.
      if (!task || task.do === 'boot') {
        const prepared = task && prepareBoot(incus, instance)
        await Promise.all([overlay.admit(publicNicOf(instance, state)), prepared])
      }
      if (!task) return needKnownPower(instance)
      await this.#perform(task, instance, state, internal, report)
    }
    throw new DriverError(`server ${state.id} does not become as it is to be`, { transient: true })
  }

  /** The instance of a server. Errors: a permanent `DriverError` when somebody else's has its name. */
  async #find(id: number): Promise<Instance | undefined> {
    const instance = await instanceOf(this.#parts.incus, id)
    if (!instance || idOf(instance.config) === id) return instance
    throw new DriverError(`the hosts have an instance ${instance.name} that is not Wolke's`, { transient: false })
  }

  async #create(state: ServerState, internal: Internal, report: Report | undefined): Promise<void> {
    const { incus, tombstones, options, overcommit, media } = this.#parts
    const [alias, candidates] = await Promise.all([this.#image(state), candidatesOf(incus, overcommit, state.id)])
    const instance = { ...newInstance(state, internal, options), source: { type: 'image', alias } }
    try {
      const target = candidates.length > 0 ? await this.#choose(state, candidates) : undefined
      await media?.need(state, target)
      await incus.change('POST', '/1.0/instances', instance, { target, report })
    } catch (error) {
      // A call that was cut off, or comes late, may have been faster.
      if (!(await this.#find(state.id))) throw error
      await settleOperations(incus, instance.name)
    } finally {
      this.#placements.forget(state.id)
    }
    // It may have been removed while it was being made.
    if (await tombstones.cover(tombOf(state.id), state.generation)) await this.#delete(state.id, state.generation)
  }

  /** The alias of the image of a server. Errors: a permanent `DriverError` when the hosts do not have it. */
  async #image({ id, image }: ServerState): Promise<string> {
    if (image === null) throw new DriverError(`the image of server ${id} is gone`, { transient: false })
    const alias = imageAlias(image)
    if (await this.#parts.incus.get(`/1.0/images/aliases/${alias}`)) return alias
    throw new DriverError(`the hosts do not have image ${image}`, { transient: false, code: 'resource_unavailable' })
  }

  async #perform(
    task: Task,
    instance: Instance,
    state: ServerState,
    internal: Internal,
    report: Report | undefined,
  ): Promise<void> {
    const { incus, options } = this.#parts
    if (task.do === 'stop') {
      // An image that is not there costs nobody a restart.
      if (task.before === 'install') await this.#image(state)
      return stop(incus, instance.name, task.manner)
    }
    if (task.do === 'install') return install(incus, instance.name, state, await this.#image(state), report)
    if (task.do === 'boot') {
      await this.#keepApart(instance, state, report)
      return boot(incus, instance.name)
    }
    if (task.do === 'set password') return setPassword(incus, instance.name, state)
    await editInstance(incus, instance.name, (current) => {
      // It may have changed since it was read.
      if (generationOf(current.config) > state.generation) return undefined
      const now = nextTask(current, state, internal, options)
      return now?.do === 'configure' ? now : undefined
    })
  }

  /** Chooses a host, which no other server of the placement group gets, whichever process makes it. */
  async #choose(state: ServerState, candidates: readonly Candidate[]): Promise<string> {
    for (let left = candidates; ; ) {
      this.#placements.forget(state.id)
      const host = this.#placements.choose(state.id, left, state)
      if (await this.#take(state, host)) return host
      left = left.map((one) => (one.name === host ? withGroup(one, state.placementGroup!) : one))
    }
  }

  /** Tells whether a host is the one of this server in its placement group from now on. */
  async #take({ id, generation, placementGroup: group }: ServerState, host: string): Promise<boolean> {
    return group === null || this.#parts.overlay.takeHost(id, generation, { group, host })
  }

  /** A server may have joined a placement group since it was made: then it boots on a host without another one of it. */
  async #keepApart(instance: Instance, state: ServerState, report: Report | undefined): Promise<void> {
    const { placementGroup } = state
    if (placementGroup === null) return
    const { incus, overcommit, media } = this.#parts
    const candidates = await candidatesOf(incus, overcommit, state.id)
    if (candidates.length === 0) return
    const isShared = candidates.find(({ name }) => name === instance.location)?.groups.has(placementGroup)
    if (!isShared && (await this.#take(state, instance.location))) return
    try {
      const target = await this.#choose(state, candidates)
      await media?.need(state, target)
      await move(incus, instance, target, report)
    } finally {
      this.#placements.forget(state.id)
    }
  }

  /**
   * A newer generation is in charge. Changes of power are the only ones without a condition: if one of this call came too
   * late, the instance goes back to what the newer one wants.
   */
  async #yield(instance: Instance): Promise<void> {
    const { incus } = this.#parts
    if (powerWanted(instance) === 'off' && isRunning(instance)) await stop(incus, instance.name, 'hard')
  }

  /** Removes the server and its rows (see `ServerDriver`). Errors: `DriverError`. */
  remove(id: number, generation: number): Promise<void> {
    return onMember(this.#parts.incus, serverName(id), () => this.#remove(id, generation))
  }

  async #remove(id: number, generation: number): Promise<void> {
    const { incus, overlay, tombstones } = this.#parts
    const instance = await this.#find(id)
    if (instance && generationOf(instance.config) > generation) return
    await tombstones.put(tombOf(id), generation)
    await settleOperations(incus, serverName(id))
    await this.#delete(id, generation)
    await overlay.forget(id, generation)
  }

  async #delete(id: number, generation: number): Promise<void> {
    const { incus } = this.#parts
    const instance = await this.#find(id)
    if (!instance || generationOf(instance.config) > generation) return
    if (isRunning(instance)) await stop(incus, instance.name, 'hard')
    await removeInstance(incus, instance.name)
  }
}

/** Names a removed server in what is remembered. */
const tombOf = (id: number) => `server.${id}`

function publicNicOf({ config }: Instance, { id, generation, ipv4, ipv6, power }: ServerState): PublicNic {
  const instance = config['volatile.uuid'] ?? ''
  // Its packet filter, if it is to have one, comes before it is to have power.
  return { server: id, generation, instance, mac: publicMac(id), ipv4, ipv6, isClosed: power === 'off' }
}

/** Errors: a permanent `DriverError` for what these hosts cannot boot, which is refused before anything else is done. */
function refuseOtherSystems({ id, iso, rescue }: ServerState): void {
  if (iso === null && rescue === null) return
  const what = iso === null ? 'a rescue system' : 'an ISO'
  throw new DriverError(`server ${id} cannot boot ${what} here`, { transient: false, code: 'unsupported_error' })
}
