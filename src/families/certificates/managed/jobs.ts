/** The background job of managed certificates: it asks the authority when to renew, and starts the renewals that are due. */
import type { Drivers } from '../../../kernel/actions/define.ts'
import { inTime } from '../../../kernel/actions/in-time.ts'
import { startAction } from '../../../kernel/actions/store.ts'
import type { ClockEvent } from '../../../kernel/process/clock.ts'
import { eventsOfRows, firstEvents } from '../../../kernel/resource/clock-events.ts'
import type { Platform } from '../../../platform.ts'
import { issueAgain, startIssuing } from './actions.ts'
import { dueHints, dueRenewals } from './host.ts'
import { advanceRenewal, putHint } from './store.ts'

/** Authorities limit how fast they are asked; the certificates beyond these stay due until the next run. */
const renewalsAtOnce = 100
const hintsAtOnce = 20
const hintTimeoutMs = 5_000
/** The pause between two questions, in milliseconds: its bounds, and its length when the authority names none. */
const askAgainMs = { usually: 6 * 3_600_000, soonest: 60_000, latest: 24 * 3_600_000 }

/** Starts each renewal that is due. A rival process finds it pending and leaves it alone. */
export async function renewCertificates(platform: Platform, drivers: Drivers): Promise<void> {
  await askForHints(platform, drivers)
  const { db, clock } = platform
  for (const due of await dueRenewals(db.query, clock.now(), renewalsAtOnce)) {
    await db.transact((tx) =>
      advanceRenewal(tx, due, async (certificate) => {
        await startAction(tx, due.scope, startIssuing(issueAgain, certificate))
      }),
    )
  }
}

/** A certificate for which no answer comes is renewed at two thirds of its lifetime. */
async function askForHints({ db, clock }: Platform, { authority }: Drivers): Promise<void> {
  if (!authority.renewalHint) return
  const failures: unknown[] = []
  for (const due of await dueHints(db.query, clock.now(), hintsAtOnce)) {
    const hint = await inTime(authority.renewalHint(due.chain), hintTimeoutMs).catch((error: unknown) => {
      failures.push(error)
      return undefined
    })
    const { soonest, latest, usually } = askAgainMs
    const pause = Math.min(latest, Math.max(soonest, hint?.askAgainAfterMs ?? usually))
    const askAgainAt = clock.now() + pause
    await db.transact((tx) => putHint(tx, due, { askAgainAt, window: hint }))
    // When one call fails, the next ones likely time out too and would delay the renewals and other background jobs.
    if (failures.length > 0) break
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the authority did not say when it wants to renew')
}

const inTable = { table: 'certificate', holds: 'milliseconds', type: 'certificate' } as const

/** The next times at which a renewal is to be looked at, or the authority is to be asked about one. */
export async function nextRenewals({ db }: Platform, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const renewals = { ...inTable, column: 'schedule_at', event: 'certificate_renewal' } as const
  const hints = { ...inTable, column: 'hint_at', event: 'certificate_renewal_hint' } as const
  const found = [renewals, hints].map((events) => eventsOfRows(db.query, events, afterMs, limit))
  return firstEvents(await Promise.all(found), limit)
}
