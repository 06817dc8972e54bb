/**
 * The quota groups of a store are on a level of their own: boxes of two stores may have one id, and groups of one file system
 * are known by level and id alone.
 */
import { randomInt } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { isThere, readJson, unlinkDurably, writeDurably } from '../durable.ts'
import { work } from '../programs.ts'

/** Stores that were made before levels were claimed are on the first one, which no other store takes. */
const firstLevel = 1
const lastLevel = 65_535

/** Groups from here on are those of no box. */
export const firstOtherGroup = 2 ** 47
const lastGroup = 2 ** 48 - 1

/** The store has a level as long as this group of it is there. */
interface LevelRecord {
  readonly level: number
  readonly mark: number
}

export interface LevelPlace {
  /** A directory of the file system. */
  readonly root: string
  /** The kernel tells here about quota groups, in a directory for each. */
  readonly groups: string
  /** The file that says which level the store has. */
  readonly record: string
}

/** The directory of the quota group of a box, or of a subvolume. */
export const groupOf = (groups: string, level: number, id: number | string) => `${groups}/${level}_${id}`

/** Returns the level of a store, and takes one when it has none. `isKept` says that the store has been opened before. */
export async function claimLevel(place: LevelPlace, isKept: boolean): Promise<number> {
  const known = await readJson<LevelRecord>(place.record)
  if (known && (await isThere(groupOf(place.groups, known.level, known.mark)))) return known.level
  if (!known && isKept) return firstLevel
  for (;;) {
    const level = randomInt(firstLevel + 1, lastLevel + 1)
    const mark = randomInt(firstOtherGroup + 1, lastGroup)
    if ((await groupsOn(place, level)).length > 0) continue
    await work('btrfs', ['qgroup', 'create', `${level}/${mark}`, place.root])
    // Of two that take it at the same moment, one sees the other at least.
    if ((await groupsOn(place, level)).length === 1) {
      await writeDurably(place.record, JSON.stringify({ level, mark } satisfies LevelRecord))
      return level
    }
    await work('btrfs', ['qgroup', 'destroy', `${level}/${mark}`, place.root])
  }
}

/** Gives back what `claimLevel` has taken. */
export async function releaseLevel(place: LevelPlace): Promise<void> {
  const known = await readJson<LevelRecord>(place.record)
  if (!known) return
  if (await isThere(groupOf(place.groups, known.level, known.mark))) {
    await work('btrfs', ['qgroup', 'destroy', `${known.level}/${known.mark}`, place.root])
  }
  await unlinkDurably(place.record)
}

async function groupsOn({ groups }: LevelPlace, level: number): Promise<string[]> {
  return (await readdir(groups)).filter((name) => name.startsWith(`${level}_`))
}
