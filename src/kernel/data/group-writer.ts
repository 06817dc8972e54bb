/** The begin and the end of a group of transactions on the writer of SQLite. */
import { setTimeout as delay } from 'node:timers/promises'
import { OutcomeUnknown } from './db.ts'
import { type DatabaseEngine, databaseFailure } from './dialect.ts'

export type Writer = DatabaseEngine['writer'] & {}

/** Another process, such as a command, may be writing: waits for it without blocking the event loop. */
export async function begin(writer: Writer): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      rollback(writer)
      writer.exec('begin immediate')
      return
    } catch (error) {
      if (databaseFailure(error)?.kind !== 'busy' || tries === 100) throw error
      await delay(5 + tries)
    }
  }
}

/**
 * Errors: `OutcomeUnknown` on an I/O error. SQLite rolls back, but the commit record may be in the log: unless the next
 * commit overwrites it, the next start replays it. A full or locked database fails before that.
 */
export function commit(writer: Writer): void {
  try {
    writer.exec('commit')
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number }
    throw (errcode & 0xff) === ioError ? new OutcomeUnknown('commit outcome unknown', { cause: error }) : error
  }
}

/** SQLITE_IOERR, the primary code of many I/O errors. */
const ioError = 10

/** Ends the open transaction. SQLite has already ended it after some failures and may be unable to after others. */
export function rollback(writer: Writer): void {
  try {
    if (writer.isOpen()) writer.exec('rollback')
  } catch {
    // The next `begin` tries again and fails as long as this does.
  }
}
