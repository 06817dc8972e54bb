/** Puts images of databases into files. */
import { backup, DatabaseSync } from 'node:sqlite'

/** All pages at once. */
const rate = 2 ** 31 - 1

/**
 * Puts an image, as `Database.image` gave it, in the place of a SQLite file that nobody has open. It is there whole or not
 * at all, also after a crash. Errors: those of SQLite.
 */
export async function installImage(path: string, image: Uint8Array): Promise<void> {
  const source = new DatabaseSync(':memory:')
  try {
    source.deserialize(image)
    endLog(path)
    await backup(source, path, { rate })
  } finally {
    source.close()
  }
}

/**
 * A file keeps the size of its pages as long as it has a log, and databases in memory have smaller ones. Whoever opens it to
 * write begins another log.
 */
function endLog(path: string): void {
  const file = new DatabaseSync(path)
  try {
    file.exec('pragma journal_mode = delete')
  } finally {
    file.close()
  }
}
