/** Background jobs of zones. */
import type { Chore } from '../../platform.ts'
import { forgetAnnouncements } from './announcements/store.ts'
import { deleteExpired } from './content/host.ts'

export const announcementsJob: Chore = async ({ db }) => {
  await db.transact(forgetAnnouncements)
}

export const contentsJob: Chore = ({ db }) => deleteExpired(db)
