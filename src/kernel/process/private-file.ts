/** Files and directories that only their owner can read. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Creates a directory, for its owner alone, unless it exists. Returns a function that removes what was created. */
export function createFolder(path: string): () => void {
  const made = makeFolders(resolve(path))
  return () => {
    for (const folder of made.toReversed()) removeIfEmpty(folder)
  }
}

/**
 * Returns the directories that were created, outermost first. Node's recursive `mkdir` never returns where none can be
 * created.
 */
function makeFolders(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const above = makeFolders(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process that starts at the same time may have created it.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(folder).isDirectory()) return above
    throw error
  }
  return [...above, folder]
}

/** Creates the directory of `path` as `createFolder` does. */
export const createFolderOf = (path: string) => createFolder(dirname(path))

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    // It may have been removed meanwhile.
    if (!['ENOTEMPTY', 'ENOENT'].includes((error as NodeJS.ErrnoException).code!)) throw error
  }
}

/** Creates an empty file, for its owner alone, unless it exists. Returns a function that removes what was created. */
export function createPrivate(path: string): () => void {
  const removeFolder = createFolderOf(path)
  const isThere = existsSync(path)
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    removeFolder()
    throw error
  }
  return () => {
    if (!isThere) rmSync(path)
    removeFolder()
  }
}

/** Waits until the content of a file, or the entries of a directory, are on disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
