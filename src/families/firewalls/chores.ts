/** The reconciler of packet filters: what an action could not bring about is tried again until it is so. */
import type { Drivers } from '../../kernel/actions/define.ts'
import { inTime } from '../../kernel/actions/in-time.ts'
import type { Platform } from '../../platform.ts'
import { enforceFilter } from './actions.ts'
import { confirmFilter, pendingFilters } from './membership.ts'

const atOnce = 200
const callTimeoutMs = 20_000

/** Hands the driver every filter that is not in force; one that fails does not keep the others waiting. */
export async function filterChore({ db }: Platform, drivers: Drivers): Promise<void> {
  const failures: unknown[] = []
  for (let after = 0; ; ) {
    const pending = await pendingFilters(db.query, after, atOnce)
    for (const { serverId, scope } of pending) {
      try {
        const generation = await inTime(enforceFilter({ query: db.query, scope, drivers }, serverId), callTimeoutMs)
        if (generation !== undefined) await db.transact((tx) => confirmFilter(tx, scope, serverId, generation))
      } catch (error) {
        failures.push(error)
      }
    }
    if (pending.length < atOnce) break
    after = pending.at(-1)!.serverId
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} packet filters are not in force`)
}
