/** The background job of images. */
import { startActionUnless } from '../../kernel/actions/store.ts'
import type { Platform } from '../../platform.ts'
import { startRemoval } from './actions.ts'
import { pendingRemovals } from './host.ts'

const atOnce = 200

/** Removes the data of deleted images where an earlier removal failed. */
export async function removeDeleted({ db }: Platform): Promise<void> {
  for (let after = 0; ; ) {
    const pending = await pendingRemovals(db.query, after, atOnce)
    for (const { id, serverId, scope } of pending) {
      await db.transact((tx) => startActionUnless(tx, scope, startRemoval(id, serverId)))
    }
    if (pending.length < atOnce) return
    after = pending.at(-1)!.id
  }
}
