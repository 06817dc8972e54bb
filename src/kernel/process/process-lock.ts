/** Keeps a second server off a SQLite file. The operating system releases the lock when its holder ends. */
import { lstatSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { lockFile } from './file-lock.ts'
import { createFolderOf, createPrivate } from './private-file.ts'

/** The lock on a database file. */
export interface ServingLock {
  /** The real path of the file. */
  readonly path: string
  release(): void
  /** Releases the lock after a failed start; removes everything that was created if there was no database before. */
  abandon(): void
}

/**
 * Locks a database file under any of its paths; undefined when another process holds the lock. `beside` lists other
 * files and folders that a first start creates. Errors: those of the file system.
 */
export function lockForServing(path: string, beside: readonly string[] = []): ServingLock | undefined {
  const traces = new DisposableStack()
  try {
    traces.defer(createFolderOf(path))
    const real = realPath(path)
    // A file of its own, because locking the database would lock out commands as well.
    const file = `${real}-serve-lock`
    traces.defer(createPrivate(file))
    const lock = lockFile(file, 0)
    if (!lock) return undefined
    if (!isThere(real)) {
      const own = [real, `${real}-wal`, `${real}-shm`, `${real}-journal`].filter((file) => !isThere(file))
      const made = [...own, ...beside.filter(mayBeMade)]
      traces.defer(() => made.forEach((file) => void rmSync(file, { recursive: true, force: true })))
    }
    return {
      path: real,
      release: () => lock[Symbol.dispose](),
      abandon() {
        // Removed before the lock is released, so that no other process sees a half-removed installation.
        traces.dispose()
        lock[Symbol.dispose]()
      },
    }
  } catch (error) {
    traces.dispose()
    throw error
  }
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Nobody makes what is at a place that cannot even be looked at: whoever wants to says what is in the way. */
function mayBeMade(path: string): boolean {
  try {
    return !isThere(path)
  } catch {
    return false
  }
}

/** The real path of a file, which need not exist; its directory must. */
function realPath(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return realPath(resolve(dirname(path), readlinkSync(path)))
  }
  return join(realpathSync(dirname(path)), basename(path))
}

/** Tells whether a server has a database file. */
export function isLocked(path: string): boolean {
  const file = `${realPath(path)}-serve-lock`
  if (!isThere(file)) return false
  const lock = lockFile(file, 0)
  lock?.[Symbol.dispose]()
  return lock === undefined
}
