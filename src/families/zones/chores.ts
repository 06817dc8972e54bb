/** What is done for zones by the clock. */
import { forgetAnnouncements } from '../../kernel/dns/announce.ts'
import type { Chore } from '../../platform.ts'
import { deleteExpired } from './content.ts'

export const announcementsChore: Chore = async ({ db }) => {
  await db.transact(forgetAnnouncements)
}

export const contentsChore: Chore = ({ db }) => deleteExpired(db)
