/** Background jobs of zones. */
import type { Job } from '../../platform.ts'
import { forgetAnnouncements } from './announcements/store.ts'
import { deleteExpired } from './content/host.ts'

export const announcementsJob: Job = async ({ db }) => {
  await db.transact(forgetAnnouncements)
}

export const contentsJob: Job = ({ db }) => deleteExpired(db)
