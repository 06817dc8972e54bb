/** Locks of files. The operating system releases a lock when its holder ends. */
import { DatabaseSync } from 'node:sqlite'
import { databaseFailure } from '../data/dialect.ts'

/** Keeps locks from being released along with a holder that nothing refers to any more. */
const held = new Set<DatabaseSync>()

/**
 * Locks a file by SQLite, because Node.js has no locks of its own; disposing of the lock releases it. Undefined when
 * another process still holds it after `patienceMs`, in which nothing else happens here. Errors: those of the file system.
 */
export function lockFile(path: string, patienceMs: number): Disposable | undefined {
  const lock = new DatabaseSync(path, { timeout: patienceMs })
  try {
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive')
    held.add(lock)
    return {
      [Symbol.dispose]() {
        held.delete(lock)
        lock[Symbol.dispose]()
      },
    }
  } catch (error) {
    lock.close()
    if (databaseFailure(error)?.kind === 'busy') return undefined
    throw error
  }
}
