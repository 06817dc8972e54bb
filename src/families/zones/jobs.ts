/** Background jobs of zones. */
import type { Job } from '../../platform.ts'
import { forgetAnnouncements } from './announcements/store.ts'
import { deleteExpired } from './content/host.ts'

/** Neither changes anything that somebody sees. */
export const zoneJobs: readonly Job[] = [
  { name: 'forgetAnnouncements', due: 'whenever', run: ({ db }) => db.transact(forgetAnnouncements) },
  { name: 'deleteContents', due: 'whenever', run: ({ db }) => deleteExpired(db) },
]
