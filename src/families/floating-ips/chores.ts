/** What is done about Floating IPs without a request. */
import type { Drivers } from '../../kernel/actions/define.ts'
import { reconcile } from '../../kernel/resource/reconcile.ts'
import type { Platform } from '../../platform.ts'
import { enforceRouting } from './actions.ts'
import { confirmRouting, pendingRoutings } from './store.ts'

/** Hands the driver the Floating IPs of every server to which no action could bring them. */
export async function routingChore({ db }: Platform, drivers: Drivers): Promise<void> {
  const pending = (after: number, limit: number) => pendingRoutings(db.query, after, limit)
  await reconcile('sets of Floating IPs', pending, async ({ id, scope }) => {
    const generation = await enforceRouting({ query: db.query, scope, drivers }, id)
    if (generation !== undefined) await db.transact((tx) => confirmRouting(tx, scope, id, generation))
  })
}
