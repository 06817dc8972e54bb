/** What was done to a box once, and must not be done again by somebody who is late. */
import { open, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere, readJson, syncDirectory, writeDurably } from './durable.ts'
import type { BoxPlaces } from './places.ts'

/**
 * So many names of removed snapshots are kept at least. No two snapshots of a box are ever called alike, so a name is asked for
 * again by nobody but an action whose process stood still, and until so many others were removed it has ended.
 */
const namesKept = 1_000
/** The oldest names go when there are so many more. */
const namesMore = 100

interface Rollbacks {
  /** The number of the last one. */
  readonly last: number
}

/** Tells the number of the last rollback; 0 when there was none. */
export async function lastRollback({ rollbacks }: BoxPlaces): Promise<number> {
  return (await readJson<Rollbacks>(rollbacks))?.last ?? 0
}

export function noteRollback({ rollbacks }: BoxPlaces, number: number): Promise<void> {
  return writeDurably(rollbacks, JSON.stringify({ last: number } satisfies Rollbacks))
}

export function wasRemoved({ goneSnapshot }: BoxPlaces, name: string): Promise<boolean> {
  return isThere(goneSnapshot(name))
}

/**
 * Notes that snapshots were removed. Each has an empty file, for which a full disk has room: on btrfs removing a snapshot may
 * free nothing that a file with something in it could take.
 */
export async function noteRemoved({ gone, goneSnapshot }: BoxPlaces, names: readonly string[]): Promise<void> {
  for (const name of names) await (await open(goneSnapshot(name), 'a', 0o600)).close()
  await forgetOldest(gone)
  await syncDirectory(gone)
}

async function forgetOldest(gone: string): Promise<void> {
  const paths = (await readdir(gone)).map((name) => join(gone, name))
  if (paths.length <= namesKept + namesMore) return
  const dated: [string, number][] = []
  for (const path of paths) dated.push([path, (await stat(path)).mtimeMs])
  const byAge = dated.toSorted(([, a], [, b]) => a - b)
  for (const [path] of byAge.slice(0, -namesKept)) await unlink(path)
}
