/** A process that puts one image after the other in the place of a database, until somebody ends it. */
import { DatabaseSync } from 'node:sqlite'
import { installImage } from '../../../src/kernel/data/install.ts'

const [path = ''] = process.argv.slice(2)

/** A database of some hundred pages that all say the same. */
function imageOf(value: string): Uint8Array {
  const database = new DatabaseSync(':memory:')
  database.exec('create table thing (id integer primary key, value text, filler text)')
  const insert = database.prepare('insert into thing (value, filler) values (?, ?)')
  for (let row = 0; row < 2_000; row++) insert.run(value, value.repeat(500))
  const image = database.serialize()
  database.close()
  return image
}

const images = ['a', 'b'].map(imageOf)
for (;;) {
  for (const image of images) {
    await installImage(path, image)
    // As a server has it while it runs.
    const database = new DatabaseSync(path)
    database.exec('pragma journal_mode = wal')
    database.close()
    process.stdout.write('installed\n')
  }
}
