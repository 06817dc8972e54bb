/** Reads what the kernel counts for quota groups of btrfs. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BoxUsage, SnapshotUsage } from '../../../../families/storage-boxes/driver.ts'
import { isThere, syncTree, unlessMissing } from '../durable.ts'
import { decodeName, type Places } from '../places.ts'
import { work } from '../programs.ts'
import { noSuchBox } from '../refusal.ts'
import type { Quota } from '../store.ts'
import { type Btrfs, subvolumeOf } from '../trees/btrfs.ts'
import { groupOf } from '../trees/level.ts'
import type { Meter } from './meter.ts'

/** Figures are true when all that was written is on disk. Waiting for that serves all who ask within so many milliseconds. */
const sharedMs = 1_000

/** One subvolume takes so many bytes: all of it, and what it shares with no other. */
interface Figures {
  readonly referenced: number
  readonly exclusive: number
}

export class Groups implements Meter {
  readonly #at: Btrfs
  readonly #places: Places
  #synced = Number.NEGATIVE_INFINITY
  #syncing: Promise<void> | undefined
  /** The ids of subvolumes by their paths. A path may get another one, and the group of the former one is gone then. */
  readonly #ids = new Map<string, string>()

  constructor(at: Btrfs, places: Places) {
    this.#at = at
    this.#places = places
  }

  async quota(id: number): Promise<Quota> {
    const quota = await figuresIn(this.figuresOf(id))
    if (quota === undefined) throw noSuchBox()
    return quota
  }

  charge(): void {}

  written(): void {}

  async changed(): Promise<void> {}

  async usage(id: number): Promise<BoxUsage> {
    await this.#sync()
    const places = this.#places.of(id)
    const data = (await this.#figuresOf(places.files))?.referenced ?? 0
    const bySnapshot = new Map<string, SnapshotUsage>()
    for (const encoded of await readdir(places.snapshots)) {
      const figures = await this.#figuresOf(join(places.snapshots, encoded))
      if (!figures) continue
      bySnapshot.set(decodeName(encoded), { size: figures.exclusive, filesystem: figures.referenced })
    }
    const all = await figure(this.figuresOf(id), 'referenced')
    return { data, snapshots: Math.max(0, all - data), bySnapshot }
  }

  /** Undefined when there is no such subvolume any more. */
  async #figuresOf(path: string): Promise<Figures | undefined> {
    const known = this.#ids.get(path)
    const figures = known === undefined ? undefined : await this.#read(known)
    if (figures) return figures
    this.#ids.delete(path)
    if (!(await isThere(path))) return undefined
    const id = await subvolumeOf(path)
    this.#ids.set(path, id)
    return this.#read(id)
  }

  async #read(id: string): Promise<Figures | undefined> {
    const group = groupOf(this.#at.groups, 0, id)
    const referenced = await unlessMissing(figure(group, 'referenced'))
    const exclusive = await unlessMissing(figure(group, 'exclusive'))
    return referenced === undefined || exclusive === undefined ? undefined : { referenced, exclusive }
  }

  async #sync(): Promise<void> {
    if (performance.now() - this.#synced < sharedMs) return
    this.#syncing ??= this.#syncNow()
    await this.#syncing
  }

  async #syncNow(): Promise<void> {
    const began = performance.now()
    try {
      await syncTree(this.#at.root)
      this.#synced = began
    } finally {
      this.#syncing = undefined
    }
  }

  /** The kernel refuses what is too much. */
  async admit(): Promise<Disposable> {
    return { [Symbol.dispose]: () => undefined }
  }

  async snapshotsChanged(): Promise<void> {
    this.#synced = Number.NEGATIVE_INFINITY
    const { root, groups } = this.#at
    // Kernels before 6.9 no longer know what a group takes when a snapshot has become its member.
    if ((await readFile(join(groups, 'inconsistent'), 'utf8')).trim() === '0') return
    await work('btrfs', ['quota', 'rescan', '-w', root])
  }

  figuresOf(id: number): string {
    return groupOf(this.#at.groups, this.#at.level, id)
  }

  limitChanged(): void {}

  forget(): void {}

  async tidy(): Promise<void> {}

  async close(): Promise<void> {}
}

/** Reads the figures of a box in the folder that `figuresOf` names; undefined where there is none. */
export async function figuresIn(folder: string): Promise<Quota | undefined> {
  const limit = await unlessMissing(figure(folder, 'max_referenced'))
  const used = await unlessMissing(figure(folder, 'referenced'))
  return limit === undefined || used === undefined ? undefined : { limit, used }
}

async function figure(group: string, name: string): Promise<number> {
  return Number((await readFile(join(group, name), 'utf8')).trim())
}
