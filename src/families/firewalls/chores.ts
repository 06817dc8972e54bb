/** What is done about firewalls without a request. */
import type { Drivers } from '../../kernel/actions/define.ts'
import { reconcile } from '../../kernel/resource/reconcile.ts'
import type { Platform } from '../../platform.ts'
import { enforceFilter } from './actions.ts'
import { confirmFilter, pendingFilters } from './membership.ts'

/** Hands the driver every packet filter that no action could put in force. */
export async function filterChore({ db }: Platform, drivers: Drivers): Promise<void> {
  const pending = (after: number, limit: number) => pendingFilters(db.query, after, limit)
  await reconcile('packet filters', pending, async ({ id, scope }) => {
    const generation = await enforceFilter({ query: db.query, scope, drivers }, id)
    if (generation !== undefined) await db.transact((tx) => confirmFilter(tx, scope, id, generation))
  })
}
