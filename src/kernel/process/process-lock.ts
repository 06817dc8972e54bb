/** Keeps a second server off a SQLite file. The lock is the operating system's, so it ends with its holder. */
import { lstatSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFailure } from '../data/dialect.ts'
import { createFolderOf, createPrivate } from './private-file.ts'

/** A database file that no other server uses. */
export interface ServingLock {
  /** Where the file really is. */
  readonly path: string
  release(): void
  /** Releases it after a start that failed: where there was no database before, everything that was made goes away. */
  abandon(): void
}

/**
 * Takes the lock that belongs to a database file, by whatever path it is named; undefined when another process has it.
 * `beside` names other files that a first start makes. Errors: those of the file system.
 */
export function lockForServing(path: string, beside: readonly string[] = []): ServingLock | undefined {
  const traces = new DisposableStack()
  try {
    traces.defer(createFolderOf(path))
    const real = realPath(path)
    const lock = takeLock(`${real}-serve-lock`, traces)
    if (!lock) return undefined
    if (!isThere(real)) {
      const made = [real, `${real}-wal`, `${real}-shm`, `${real}-journal`, ...beside].filter((file) => !isThere(file))
      traces.defer(() => made.forEach((file) => void rmSync(file, { force: true })))
    }
    return {
      path: real,
      release: () => lock.close(),
      abandon() {
        // Whoever comes meanwhile still finds it locked.
        traces.dispose()
        lock.close()
      },
    }
  } catch (error) {
    traces.dispose()
    throw error
  }
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** The lock is a database of its own, because only locking the real one would keep the command line out of it. */
function takeLock(file: string, traces: DisposableStack): DatabaseSync | undefined {
  traces.defer(createPrivate(file))
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if (databaseFailure(error)?.kind === 'busy') return undefined
    throw error
  }
}

/** The path that all other paths to a file lead to, whether or not it is there; its folder is. */
function realPath(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return realPath(resolve(dirname(path), readlinkSync(path)))
  }
  return join(realpathSync(dirname(path)), basename(path))
}
