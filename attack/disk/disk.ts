/** Attacks the storage: a full disk, damaged pages, a truncated log, a database outage. */
import type { Attack } from '../attack.ts'
import { databaseAway } from './away.ts'
import { damagedPages, truncatedLog } from './damaged.ts'
import { fullDisk } from './full.ts'

export const disk: Attack = {
  name: 'disk',
  databases: ['sqlite', 'postgres'],
  async run(context) {
    // PostgreSQL protects its own files.
    if (context.database === 'postgres') return databaseAway(context)
    return [...(await fullDisk(context)), ...(await damagedPages(context)), ...(await truncatedLog(context))]
  },
}
