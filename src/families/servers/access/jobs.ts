/** The background job that ends rescue systems to which no boot went in time. */
import { refuseLocked } from '../../../kernel/actions/store.ts'
import { type ClockEvent, timestamp } from '../../../kernel/process/clock.ts'
import type { Again } from '../../../kernel/process/jobs.ts'
import { eventsOfRows } from '../../../kernel/resource/clock-events.ts'
import { forEachDue } from '../../../kernel/resource/due.ts'
import type { Platform } from '../../../platform.ts'
import { state } from '../desired.ts'
import { type OverdueRescue, overdueRescues } from '../host.ts'
import { servers, setRescue } from '../store.ts'

/** Lets the next boot go to the disk again; several processes may do so at once. */
export async function endRescues({ db, clock }: Platform): Promise<Again> {
  const now = timestamp(clock.now())
  return forEachDue<OverdueRescue>({
    failed: 'rescue systems could not be ended',
    find: (after, limit) => overdueRescues(db.query, now, after, limit),
    work: ({ id, scope }) =>
      db.transact(async (tx) => {
        const { rescue } = await servers.lock(tx, scope, id)
        if (rescue === null || rescue.until > now) return
        await refuseLocked(tx.query, scope, servers.ref(id))
        await state.renew(tx, scope, [id])
        await setRescue(tx, scope, id, null)
      }),
  })
}

/** The next times at which no boot goes to the rescue system any more. */
export async function rescueEnds({ db }: Platform, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const ends = {
    table: 'server',
    column: 'rescue_until',
    holds: 'timestamp',
    type: 'server',
    event: 'rescue_ends',
  } as const
  return eventsOfRows(db.query, ends, afterMs, limit)
}
