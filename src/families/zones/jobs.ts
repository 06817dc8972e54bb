/** Background jobs of zones. */
import type { Job } from '../../platform.ts'
import { forgetAnnouncements } from './announcements/store.ts'
import { deleteExpired } from './content/host.ts'
import { checkDelegations } from './delegation/jobs.ts'
import { nextSignings } from './signing/host.ts'
import { advanceSignings } from './signing/jobs.ts'

/** Those before the last one change nothing that somebody sees; the last one finds what others have changed at any time. */
export const zoneJobs: readonly Job[] = [
  { name: 'forgetAnnouncements', due: 'whenever', run: ({ db }) => db.transact(forgetAnnouncements) },
  { name: 'deleteContents', due: 'whenever', run: ({ db }) => deleteExpired(db) },
  {
    name: 'advanceSignings',
    due: ({ db }, ...asked) => nextSignings(db.query, ...asked),
    run: advanceSignings,
  },
  { name: 'checkDelegations', due: 'whenever', run: checkDelegations },
]
