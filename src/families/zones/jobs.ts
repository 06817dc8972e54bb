/** Background jobs of zones. */
import type { Chore } from '../../platform.ts'
import { forgetAnnouncements } from './announce.ts'
import { deleteExpired } from './host.ts'

export const announcementsJob: Chore = async ({ db }) => {
  await db.transact(forgetAnnouncements)
}

export const contentsJob: Chore = ({ db }) => deleteExpired(db)
