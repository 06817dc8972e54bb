/** What is done about images without a request. */
import { startActionUnless } from '../../kernel/actions/store.ts'
import type { Platform } from '../../platform.ts'
import { startRemoval } from './actions.ts'
import { deletedImages } from './store.ts'

const atOnce = 200

/** Removes data of deleted images that could not be removed so far. */
export async function removalChore({ db }: Platform): Promise<void> {
  for (let after = 0; ; ) {
    const waiting = await deletedImages(db.query, after, atOnce)
    for (const { id, serverId, scope } of waiting) {
      await db.transact((tx) => startActionUnless(tx, scope, startRemoval(id, serverId)))
    }
    if (waiting.length < atOnce) return
    after = waiting.at(-1)!.id
  }
}
