/**
 * Trees in subvolumes of btrfs. The files of a box and its snapshots are members of one quota group, whose limit the kernel
 * keeps; blocks that several of them share count once.
 */
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere, syncDirectory, syncTree, unlessMissing } from '../durable.ts'
import { work } from '../programs.ts'
import type { Owner, StoreLog } from '../store.ts'
import { own } from './copies.ts'
import { groupOf, type LevelPlace, releaseLevel } from './level.ts'
import type { Trees } from './trees.ts'

/** The inode of the top of every subvolume. */
const topInode = 256

/** The room of a removed tree is free within seconds, unless somebody still has a file of it open. */
const freeingMs = 60_000

export interface Btrfs extends LevelPlace {
  /** The groups of boxes are on this level, those of subvolumes on level 0. */
  readonly level: number
  readonly log: StoreLog
}

/** The id of the subvolume that a directory is the top of. */
export async function subvolumeOf(path: string): Promise<string> {
  return (await work('btrfs', ['inspect-internal', 'rootid', path])).trim()
}

export class Subvolumes implements Trees {
  readonly #at: Btrfs

  constructor(at: Btrfs) {
    this.#at = at
  }

  async limit(id: number, bytes: number): Promise<void> {
    const { root, groups, level } = this.#at
    const group = this.#groupOf(id)
    if (!(await isThere(groupOf(groups, level, id)))) await work('btrfs', ['qgroup', 'create', group, root])
    await work('btrfs', ['qgroup', 'limit', `${bytes}`, group, root])
    await syncTree(root)
  }

  async create(id: number, path: string, owner: Owner): Promise<void> {
    await work('btrfs', ['subvolume', 'create', '-i', this.#groupOf(id), path])
    await own(path, owner)
    await syncDirectory(path)
  }

  /** The kernel makes a snapshot within one transaction, which is on disk when it returns. */
  async freeze(id: number, from: string, to: string): Promise<void> {
    await work('btrfs', ['subvolume', 'snapshot', '-r', '-i', this.#groupOf(id), from, to])
  }

  async thaw(id: number, from: string, to: string): Promise<void> {
    await work('btrfs', ['subvolume', 'snapshot', '-i', this.#groupOf(id), from, to])
  }

  async discard(paths: readonly string[]): Promise<void> {
    const there: string[] = []
    for (const path of paths) if (await isThere(path)) there.push(path)
    await this.#delete(there)
  }

  async remove(path: string): Promise<void> {
    await this.#delete(await subvolumesAt(path))
    await work('rm', ['-rf', '--one-file-system', '--', path])
  }

  async #delete(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return
    const ids = await Promise.all(paths.map(subvolumeOf))
    await work('btrfs', ['subvolume', 'delete', '--commit-after', ...paths])
    const { root, log } = this.#at
    try {
      await work('btrfs', ['subvolume', 'sync', root, ...ids], { timeoutMs: freeingMs })
    } catch (err) {
      log.warn(
        { err, subvolumes: ids },
        'the room of removed files is not free yet: somebody still has some of them open',
      )
      return
    }
    for (const id of ids) await this.#destroyGroup(0, id)
  }

  /** Newer kernels remove the group of a subvolume with it, maybe at this moment. */
  async #destroyGroup(level: number, id: number | string): Promise<void> {
    const { root, groups } = this.#at
    if (!(await isThere(groupOf(groups, level, id)))) return
    const isHarmless = (line: string) => line.endsWith('unable to destroy quota group: No such file or directory')
    await work('btrfs', ['qgroup', 'destroy', `${level}/${id}`, root], { isHarmless })
  }

  /** None takes long. */
  stop(): void {}

  forget(id: number): Promise<void> {
    return this.#destroyGroup(this.#at.level, id)
  }

  release(): Promise<void> {
    return releaseLevel(this.#at)
  }

  #groupOf(id: number): string {
    return `${this.#at.level}/${id}`
  }
}

/** The subvolumes at a path and below it. Nothing but directories of the store is looked into. */
async function subvolumesAt(path: string): Promise<string[]> {
  const found = await unlessMissing(lstat(path))
  if (!found?.isDirectory()) return []
  if (found.ino === topInode) return [path]
  const within: string[] = []
  for await (const entry of await opendir(path)) {
    if (entry.isDirectory()) within.push(...(await subvolumesAt(join(path, entry.name))))
  }
  return within
}
