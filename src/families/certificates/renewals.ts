/** What is done for managed certificates by the clock: the authority is asked when, and renewals begin. */
import type { Drivers } from '../../kernel/actions/define.ts'
import { inTime } from '../../kernel/actions/in-time.ts'
import { startAction } from '../../kernel/actions/store.ts'
import type { Platform } from '../../platform.ts'
import { issueAgain, startIssuing } from './actions.ts'
import { advanceRenewal, dueHints, dueRenewals, putHint } from './orders.ts'

/** So many at once: authorities limit how fast they are asked, and the others are due a minute later. */
const atOnce = 100
const hintsAtOnce = 20
const hintTimeoutMs = 5_000
/** When an authority does not say how often it may be asked, and at most and at least so often, in milliseconds. */
const askAgainMs = { usually: 6 * 3_600_000, soonest: 60_000, latest: 24 * 3_600_000 }

/** Starts each renewal that is due; rivals find it under way. */
export async function renewalChore(platform: Platform, drivers: Drivers): Promise<void> {
  await askForHints(platform, drivers)
  const { db, clock } = platform
  for (const due of await dueRenewals(db.query, clock.now(), atOnce)) {
    await db.transact((tx) =>
      advanceRenewal(tx, due, async (certificate) => {
        await startAction(tx, due.scope, startIssuing(issueAgain, certificate))
      }),
    )
  }
}

/** Whatever goes wrong here, the certificate is renewed at two thirds of its lifetime. */
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
    // Where one was not answered in time, the others would hold up what else is done by the clock.
    if (failures.length > 0) break
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the authority did not say when it wants to renew')
}
