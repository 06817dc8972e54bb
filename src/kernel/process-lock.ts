/** Keeps a second server off a SQLite file. The lock is the operating system's, so it ends with its holder. */
import { DatabaseSync } from 'node:sqlite'
import { databaseFailure } from './dialect.ts'
import { createPrivate } from './private-file.ts'

/** Takes the lock that belongs to a database file; undefined when another process has it. */
export function lockForServing(path: string): { release(): void } | undefined {
  // A database of its own, because only locking the real one would keep the command line out of it.
  const file = `${path}-serve-lock`
  createPrivate(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return { release: () => lock.close() }
  } catch (error) {
    lock.close()
    if (databaseFailure(error)?.kind === 'busy') return undefined
    throw error
  }
}
