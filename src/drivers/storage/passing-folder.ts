/** The folder of files that go with their server. One whose server was killed is removed by the next one. */
import { existsSync, lstatSync, mkdtempSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '../../kernel/process/file-lock.ts'
import { discardStore } from './store/open.ts'
import type { StoreLog } from './store/store.ts'

const prefix = 'wolke-storage-'
/** The server that a folder belongs to has locked this file in it, for as long as it runs. */
const lockIn = (folder: string) => join(folder, 'lock')
/** Each cloud has a store in a directory that is called by a number. */
const isStore = (name: string) => /^\d+$/.test(name)

export interface PassingFolder {
  readonly path: string
  /** Removes it with all that is left in it. */
  remove(): Promise<void>
}

/** Makes a folder in a directory. */
export function makePassingFolder(directory: string, log: StoreLog): PassingFolder {
  for (;;) {
    const path = mkdtempSync(join(directory, prefix))
    const lock = lockFile(lockIn(path), 0)
    // Whoever looks for folders of ended servers at this very moment may take it for one.
    if (lock && existsSync(lockIn(path))) return { path, remove: () => removeLocked(path, lock, log) }
    lock?.[Symbol.dispose]()
  }
}

/**
 * Removes the folders of servers of this user that have ended without doing so, until `isOver` says that there is no time
 * left. Those without a lock are not touched: their server may run.
 */
export async function removeLeftFolders(directory: string, log: StoreLog, isOver: () => boolean): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(prefix)) continue
    if (isOver()) return
    const path = join(directory, name)
    try {
      if (!isOwn(path)) continue
      const lock = lockFile(lockIn(path), 0)
      if (lock) await removeLocked(path, lock, log)
    } catch (err) {
      log.warn({ err, directory: path }, 'files of Storage Boxes that an ended server has left could not be removed')
    }
  }
}

function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return (found?.isDirectory() ?? false) && found?.uid === process.getuid?.() && existsSync(lockIn(path))
}

/** The lock goes last, so that whoever is cut off leaves what the next one removes. */
async function removeLocked(path: string, lock: Disposable, log: StoreLog): Promise<void> {
  using _lock = lock
  for (const name of await readdir(path)) {
    if (isStore(name)) await discardStore(join(path, name), log)
    else if (join(path, name) !== lockIn(path)) await rm(join(path, name), { recursive: true })
  }
  await rm(lockIn(path))
  await rmdir(path)
}
