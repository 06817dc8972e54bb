/**
 * Volumes as custom volumes of Incus. A container has them as file systems at a path, a virtual machine as disks. In a
 * pool of one host's own disks, a volume is on the member of the server that has it, and moves there before it is attached.
 */

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { AttachmentState, VolumeDriver, VolumeState } from '../../../families/volumes/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import { type Config, edit, editInstance, type Instance, unplug } from '../../../protocols/incus/edit.ts'
import { settleOperations } from '../../../protocols/incus/operations.ts'
import { isMember, naming, onMember } from '../members.ts'
import { generationOf, idOf, marksOf, serverName, setMark, volumeName } from '../names.ts'
import { instanceOf } from '../servers/guest.ts'
import type { Tombstones } from '../tombstones.ts'

export interface VolumeParts {
  readonly incus: Incus
  readonly tombstones: Tombstones
  /** The storage pool in which volumes are made. */
  readonly pool: string
  readonly instanceType: Instance['type']
}

/** A volume as Incus tells it. */
export interface StoredVolume {
  readonly name: string
  readonly type: string
  readonly config: Config
  /** The member that has it; `none` or empty where all have it. */
  readonly location: string
  /** Paths of what uses it. */
  readonly used_by: readonly string[] | null
}

/** The generation of the set of volumes that an instance has. */
const setGeneration = 'user.wolke.volumes'
/**
 * The last move of a volume, which its copy has as well: the member that it leads to, and a word that no other move has. In
 * the first one it ends as one of two: the copy is the volume, or it was given up. Whoever writes that decides.
 */
const destination = 'user.wolke.destination'
const isLeft = '-'
const isKept = '.'
/** Pools whose volumes are disks with a file system of their own, which only grow. */
const blockDrivers = ['ceph', 'lvm', 'lvmcluster', 'linstor', 'truenas']

/** Creates the driver of volumes. */
export function incusVolumes(parts: VolumeParts): VolumeDriver {
  const volumes = new Volumes(parts)
  return {
    apply: (state) => volumes.naming([state.id], () => volumes.apply(state)),
    remove: (id, generation) => volumes.naming([id], () => volumes.remove(id, generation)),
    attach: (state) => {
      const ids = state.volumes.map(({ id }) => id)
      return onMember(parts.incus, serverName(state.serverId), () => volumes.naming(ids, () => volumes.attach(state)))
    },
  }
}

class Volumes {
  readonly #parts: VolumeParts
  readonly #path: string
  #driver: Promise<string> | undefined

  constructor(parts: VolumeParts) {
    this.#parts = parts
    this.#path = `/1.0/storage-pools/${encodeURIComponent(parts.pool)}/volumes`
  }

  /** Tells a call that failed because the member of a volume is gone apart from others. */
  naming<T>(ids: readonly number[], call: () => Promise<T>): Promise<T> {
    const places = async () => (await Promise.all(ids.map((id) => this.#copies(id)))).flat().map((one) => one.location)
    return naming(this.#parts.incus, call, places)
  }

  async apply(state: VolumeState): Promise<void> {
    const found = await this.#find(state.id)
    if (found) await this.#update(found, state)
    else await this.#create(state)
  }

  async #create({ id, generation, sizeGb, format }: VolumeState): Promise<void> {
    const { incus, tombstones, instanceType } = this.#parts
    const what = `volume.${id}`
    if (await tombstones.cover(what, generation)) return
    const isDisk = instanceType === 'virtual-machine'
    const hasFormat = !isDisk && format !== null && (await this.#isOfBlocks())
    const config = {
      size: sizeOf(sizeGb),
      ...(hasFormat ? { 'block.filesystem': format } : {}),
      ...marksOf(id, generation),
    }
    const body = { name: volumeName(id), type: 'custom', content_type: isDisk ? 'block' : 'filesystem', config }
    await incus.change('POST', `${this.#path}/custom`, body)
    if (!(await tombstones.cover(what, generation))) return
    const made = await this.#find(id)
    if (made) await this.#delete(made)
  }

  async #update(found: StoredVolume, { generation, sizeGb }: VolumeState): Promise<void> {
    const size = sizeOf(sizeGb)
    const mayShrink = !(await this.#isOfBlocks())
    await this.#patch(found, (config) => {
      if (generationOf(config) > generation) return undefined
      const isKept = config.size === size || (!mayShrink && bytesOf(config.size) > bytesOf(size))
      if (isKept && generationOf(config) === generation) return undefined
      return { ...(isKept ? {} : { size }), 'user.wolke.generation': String(generation) }
    })
  }

  async remove(id: number, generation: number): Promise<void> {
    const found = await this.#find(id)
    if (found && generationOf(found.config) > generation) return
    await this.#parts.tombstones.put(`volume.${id}`, generation)
    if (!found) return
    await this.#detach(found, () => true)
    await this.#delete(found)
  }

  async attach({ serverId, generation, volumes }: AttachmentState): Promise<void> {
    const { incus } = this.#parts
    const instance = await instanceOf(incus, serverId)
    if (!instance) {
      if (volumes.length === 0) return
      throw new DriverError(`Server ${serverId} is not on the hosts yet`, { transient: true })
    }
    if (generationOf(instance.config, setGeneration) > generation) return
    const ids = volumes.map(({ id }) => id)
    for (const id of ids) await this.#bring(id, instance)
    await editInstance(incus, instance.name, ({ config, devices }) => {
      if (generationOf(config, setGeneration) > generation) return undefined
      const next = this.#withVolumes(devices, ids)
      if (config[setGeneration] === setMark(generation, ids) && isDeepStrictEqual(devices, next)) return undefined
      return { devices: next, config: { ...config, [setGeneration]: setMark(generation, ids) } }
    })
  }

  /** The devices of an instance with exactly these volumes. */
  #withVolumes(devices: Instance['devices'], ids: readonly number[]): Instance['devices'] {
    const others = Object.entries(devices).filter(([name]) => !/^vol-\d+$/.test(name))
    return Object.fromEntries([...others, ...ids.map((id) => [volumeName(id), this.#device(id)] as const)])
  }

  #device(id: number): Config {
    const { pool, instanceType } = this.#parts
    const device = { type: 'disk', pool, source: volumeName(id) }
    // A virtual machine finds its disks by their ids (see `volumeLinks`); it mounts them itself. Not run: it needs KVM.
    return instanceType === 'virtual-machine' ? device : { ...device, path: `/mnt/HC_Volume_${id}` }
  }

  /** Makes a volume ready for an instance: no other one has it, and it is on the same member. */
  async #bring(id: number, instance: Instance): Promise<void> {
    const found = await this.#find(id)
    if (!found) throw new DriverError(`Volume ${id} is not on the hosts yet`, { transient: true })
    await this.#detach(found, ({ name }) => name !== instance.name)
    if (isElsewhere(found, instance)) await this.#move(found, instance.location)
  }

  #detach(volume: StoredVolume, isMeant: (instance: Instance) => boolean): Promise<void> {
    const { incus, pool } = this.#parts
    return unplug(incus, volume.used_by ?? [], (device, instance) => {
      return device.type === 'disk' && device.pool === pool && device.source === volume.name && isMeant(instance)
    })
  }

  /** Copies a volume to another member and removes it where it was. One that is cut off begins anew (see `#find`). */
  async #move(volume: StoredVolume, to: string): Promise<void> {
    const { incus, pool } = this.#parts
    const { name, location, config } = volume
    const source = { type: 'copy', name, pool, location }
    const move = `${to} ${randomUUID()}`
    await this.#patch(volume, () => ({ [destination]: move }))
    const copy = { name, type: 'custom', config: { ...config, [destination]: move }, source }
    await incus.change('POST', `${this.#path}/custom`, copy, { target: to })
    const first = await this.#patch(volume, (now) =>
      now[destination] === move ? { [destination]: isLeft } : undefined,
    )
    if (first?.config[destination] !== move) {
      throw new DriverError(`Volume ${name} was moved by somebody else`, { transient: true })
    }
    await this.#delete(volume)
  }

  /**
   * The volume of an id. While it is moved there are two, and the first one goes once the second one is whole: unless that
   * is noted, the first one is the volume, and a move that has not ended yet is given up.
   */
  async #find(id: number): Promise<StoredVolume | undefined> {
    const copies = await this.#copies(id)
    if (copies.length < 2) return copies[0]
    await settleOperations(this.#parts.incus, volumeName(id), ['task', 'websocket'])
    const left = await this.#copies(id)
    if (left.length < 2) return left[0]
    const [second, ...seconds] = left.filter(isDestination)
    const [first, ...others] = left.filter((copy) => !isDestination(copy))
    if (!second || !first || seconds.length > 0 || others.length > 0) {
      throw new DriverError(`Volume ${id} is on several hosts`, { transient: true })
    }
    const was = await this.#patch(first, (now) => (now[destination] === isLeft ? undefined : { [destination]: isKept }))
    if (!was) return second
    const [volume, other] = was.config[destination] === isLeft ? [second, first] : [first, second]
    await this.#delete(other)
    return volume
  }

  async #copies(id: number): Promise<readonly StoredVolume[]> {
    const filter = encodeURIComponent(`name eq ${volumeName(id)}`)
    const all = await this.#parts.incus.list<StoredVolume>(`${this.#path}/custom?recursion=1&filter=${filter}`)
    return all.filter(({ name, config }) => name === volumeName(id) && idOf(config) === id)
  }

  /**
   * Changes the configuration of a volume by what a function says, and answers what it was; undefined leaves it as it is.
   */
  #patch(volume: StoredVolume, change: (config: Config) => Config | undefined): Promise<StoredVolume | undefined> {
    const next = ({ config }: StoredVolume) => {
      const changed = change(config)
      return changed && { config: changed }
    }
    return edit(this.#parts.incus, this.#at(volume), next, { method: 'PATCH' })
  }

  async #delete(volume: StoredVolume): Promise<void> {
    await this.#parts.incus.change('DELETE', this.#at(volume))
  }

  #at({ name, location }: StoredVolume): string {
    const target = isMember(location) ? `?target=${encodeURIComponent(location)}` : ''
    return `${this.#path}/custom/${name}${target}`
  }

  async #isOfBlocks(): Promise<boolean> {
    this.#driver ??= this.#readDriver()
    try {
      return blockDrivers.includes(await this.#driver)
    } catch (error) {
      this.#driver = undefined
      throw error
    }
  }

  async #readDriver(): Promise<string> {
    const { incus, pool } = this.#parts
    const found = await incus.get<{ driver: string }>(`/1.0/storage-pools/${encodeURIComponent(pool)}`)
    if (!found) throw new DriverError(`The hosts have no storage pool ${pool}`, { transient: true })
    return found.value.driver
  }
}

const isElsewhere = (volume: StoredVolume, instance: Instance) =>
  isMember(volume.location) && volume.location !== instance.location

/** Tells whether a volume is where its last move leads. */
const isDestination = ({ config, location }: StoredVolume) => config[destination]?.split(' ')[0] === location

const sizeOf = (gb: number) => `${gb}GiB`
const bytesOf = (size = '') => Number.parseInt(size, 10)
