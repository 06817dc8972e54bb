/** Where the data lies fails: a full disk, damaged pages, a log that was cut off, a database that goes away. */
import type { Attack } from '../attack.ts'
import { databaseAway } from './away.ts'
import { damagedPages, truncatedLog } from './damaged.ts'
import { fullDisk } from './full.ts'

export const disk: Attack = {
  name: 'disk',
  databases: ['sqlite', 'postgres'],
  async run(context) {
    // The files of PostgreSQL are for PostgreSQL to guard.
    if (context.database === 'postgres') return databaseAway(context)
    return [...(await fullDisk(context)), ...(await damagedPages(context)), ...(await truncatedLog(context))]
  },
}
