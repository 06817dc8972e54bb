/**
 * Directories below the files of a box, whose owner may put links in their place at any moment: each part of a path is
 * opened from the directory before it, and none is a link.
 */
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Owner } from './store.ts'

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** Linux leads from the number of an open file to the file itself, whatever has its name by now. */
const canStep = process.platform === 'linux'

/** An open directory, to be closed, and a path that leads to it. */
export interface OpenDirectory extends AsyncDisposable {
  readonly path: string
}

/** The parts of a path without `.` and `..`, as someone understands it to whom nothing is above its top. */
export function partsOf(path: string): string[] {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts
}

/**
 * Opens a directory below `root`. Errors: those of the file system, which `isNoDirectory` knows where there is no such
 * directory.
 */
export function openBeneath(root: string, path: string): Promise<OpenDirectory> {
  return walk(root, path, undefined)
}

/** Makes what is missing of a directory below `root` for its owner. Errors: as those of `openBeneath`. */
export async function makeBeneath(root: string, path: string, owner: Owner): Promise<void> {
  await using _made = await walk(root, path, owner)
}

async function walk(root: string, path: string, owner: Owner | undefined): Promise<OpenDirectory> {
  let handle = await open(root, flags)
  let at = placeOf(handle, root)
  try {
    for (const part of partsOf(path)) {
      const next = join(at, part)
      if (owner) await makeUnlessThere(next)
      const opened = await open(next, flags)
      await handle.close()
      handle = opened
      at = placeOf(handle, next)
      if (owner) await give(handle, owner)
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  return { path: at, [Symbol.asyncDispose]: () => handle.close() }
}

const placeOf = (handle: FileHandle, path: string) => (canStep ? `/proc/self/fd/${handle.fd}` : path)

async function makeUnlessThere(path: string): Promise<void> {
  try {
    await mkdir(path, 0o755)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Only what was made here, now or by a call that was cut off, belongs to somebody else. */
async function give(handle: FileHandle, { uid, gid }: Owner): Promise<void> {
  if ((await handle.stat()).uid !== uid) await handle.chown(uid, gid)
}

/** Tells whether an error says that there is no such directory. */
export function isNoDirectory(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')
}
