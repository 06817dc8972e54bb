/** What is done for zones by the clock. */

import type { Chore } from '../../platform.ts'
import { forgetAnnouncements } from './announce.ts'
import { deleteExpired } from './content.ts'

export const announcementsChore: Chore = async ({ db }) => {
  await db.transact(forgetAnnouncements)
}

export const contentsChore: Chore = ({ db }) => deleteExpired(db)
