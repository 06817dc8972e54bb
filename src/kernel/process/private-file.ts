/** Files that are nobody else's to read. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes the folder of `path` unless it is there, for its owner alone. What it returns takes away what was made. */
export function createFolderOf(path: string): () => void {
  const made = makeFolders(resolve(dirname(path)))
  return () => {
    for (const folder of made.toReversed()) removeIfEmpty(folder)
  }
}

/** Returns those that were made, from the top. The recursive one of the runtime never ends where nothing can be made. */
function makeFolders(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const above = makeFolders(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process that starts at the same time may have been faster.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(folder).isDirectory()) return above
    throw error
  }
  return [...above, folder]
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
  }
}

/** Makes the file unless it is there, empty and for its owner alone. What it returns takes away what was made. */
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

/** Waits until what a file holds, or which files a folder holds, is on disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
