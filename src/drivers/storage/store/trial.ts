/** Finds out by trying which kinds of store a directory can hold. */
import { constants } from 'node:fs'
import { copyFile, mkdir, readFile, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere } from './durable.ts'
import type { Places } from './places.ts'
import { work } from './programs.ts'
import type { StoreLog } from './store.ts'
import { type Btrfs, Subvolumes } from './trees/btrfs.ts'
import { runInCell } from './trees/cell.ts'
import { claimLevel, firstOtherGroup, groupOf, type LevelPlace, releaseLevel } from './trees/level.ts'

/** The magic number by which statfs(2) knows btrfs. */
const btrfsMagic = 0x9123683e

/** The message is part of a line for the operator. */
export class Impossible extends Error {}

/**
 * Finds where the kernel tells about the quota groups of a directory's file system, and the level of those of the store.
 * Subvolumes are tried unless the store has been opened before. Errors: `Impossible`.
 */
export async function tryBtrfs(places: Places, isKept: boolean, log: StoreLog): Promise<Btrfs> {
  const { root } = places
  if (process.platform !== 'linux' || Number((await statfs(root)).type) !== btrfsMagic) {
    throw new Impossible('it is not on btrfs')
  }
  if (process.getuid?.() !== 0) throw new Impossible('subvolumes of btrfs with limits need root')
  try {
    const groups = await findGroups(root, log)
    const place = { root, groups, record: places.level }
    const at = { ...place, level: await claimLevel(place, isKept), log }
    if (!isKept) await trySubvolume(at, places.trial).catch((error) => giveUp(place, error))
    return at
  } catch (error) {
    if (error instanceof Impossible) throw error
    throw new Impossible(`btrfs refuses subvolumes with limits (${oneLine(error)})`, { cause: error })
  }
}

async function giveUp(place: LevelPlace, error: unknown): Promise<never> {
  await releaseLevel(place)
  throw error
}

async function trySubvolume(at: Btrfs, trial: string): Promise<void> {
  const trees = new Subvolumes(at)
  await trees.remove(trial)
  await trees.limit(firstOtherGroup, 2 ** 30)
  await trees.create(firstOtherGroup, trial, { uid: 0, gid: 0 })
  const isCounted = await isThere(groupOf(at.groups, at.level, firstOtherGroup))
  await trees.remove(trial)
  await trees.forget(firstOtherGroup)
  if (!isCounted) throw new Impossible('this kernel does not say what quota groups take')
}

async function findGroups(directory: string, log: StoreLog): Promise<string> {
  const mount = (await work('findmnt', ['-n', '-o', 'TARGET', '-T', directory])).trim()
  const uuid = /uuid: (\S+)/.exec(await work('btrfs', ['filesystem', 'show', '--', mount]))?.[1]
  if (uuid === undefined) throw new Impossible('its btrfs does not say which one it is')
  const groups = join('/sys/fs/btrfs', uuid, 'qgroups')
  const wereEnabled = await isEnabled(groups)
  if (!wereEnabled) {
    log.info({ directory }, 'quotas of btrfs are switched on for Storage Boxes, and everything is counted once')
  }
  // Another store may be about to do so: the kernel says that they are on before they are, and both commands wait for it.
  await work('btrfs', ['quota', 'enable', directory])
  await work('btrfs', ['quota', 'rescan', wereEnabled ? '-W' : '-w', directory])
  if (!(await isEnabled(groups))) throw new Impossible('this kernel does not say what quota groups take')
  return groups
}

async function isEnabled(groups: string): Promise<boolean> {
  const path = join(groups, 'enabled')
  const isTold = (await isThere(path)) && (await isThere(join(groups, 'inconsistent')))
  return isTold && (await readFile(path, 'utf8')).trim() === '1'
}

/** Errors: `Impossible` where copies cannot share blocks. */
export async function tryReflink(trial: string): Promise<void> {
  await mkdir(trial)
  await writeFile(join(trial, 'from'), Buffer.alloc(65_536, 1))
  try {
    await copyFile(join(trial, 'from'), join(trial, 'to'), constants.COPYFILE_FICLONE_FORCE)
  } catch (error) {
    throw new Impossible('its file system does not let copies share blocks', { cause: error })
  }
}

/** The directory for cells, where there can be some. */
export async function tryCell(cell: string, trial: string, log: StoreLog): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  try {
    await runInCell(cell, { from: trial, to: trial }, ['cp', '--version'])
    return cell
  } catch (err) {
    log.warn({ err }, 'files of Storage Boxes are copied without a root of their own, as this machine allows no mounts')
    return undefined
  }
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ')
}
