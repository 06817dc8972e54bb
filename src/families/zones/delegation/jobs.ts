/** The background job that asks whether zones are delegated to our name servers. */
import { DriverError, type Drivers } from '../../../kernel/actions/define.ts'
import { inTime } from '../../../kernel/actions/in-time.ts'
import { onBehalfOf } from '../../../kernel/process/behalf.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import { FairQueue } from '../../../kernel/process/fair-queue.ts'
import type { ProjectId } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import type { AssignedZone, FoundDelegation } from '../driver.ts'
import { dueDelegations } from './host.ts'
import { claimDelegation, type DueDelegation, recordDelegation } from './store.ts'

const minuteMs = 60_000
/** A zone is asked about so often; where it is new or nobody answered, and may soon be otherwise, the sooner. */
const usualMs = 60 * minuteMs
const soonMs = 10 * minuteMs
const newMs = 24 * 60 * minuteMs
/** The intervals differ by up to this share, so that zones of one moment are not asked about in one moment for ever. */
const jitter = 0.1
/** The time after which another process takes over what one has claimed. */
const claimMs = 2 * minuteMs
/** One zone takes no longer, and a round begins with no more zones after that time: other jobs wait for it. */
const patienceMs = 5_000
const roundMs = 5_000
/** Zones that are asked about at the same time. */
const limits = { inAll: 32, perProject: 8 }

/** Asks about zones that are due, in a round of some seconds. Projects take turns. */
export async function checkDelegations(
  platform: Pick<Platform, 'db' | 'clock' | 'settings'>,
  drivers: Drivers,
): Promise<void> {
  if (!drivers.zones.delegationOf) return
  const end = performance.now() + roundMs
  const queue = new FairQueue<ProjectId>({ atOnce: limits.inAll, perKey: limits.perProject })
  do {
    const due = await dueDelegations(platform.db.query, platform.clock.now(), limits)
    if (due.length === 0) return
    await Promise.all(
      due.map((zone) =>
        queue.run(zone.scope.projectId, () => onBehalfOf(zone.scope.projectId, () => check(platform, drivers, zone))),
      ),
    )
  } while (performance.now() < end)
}

async function check(
  { db, clock, settings }: Parameters<typeof checkDelegations>[0],
  drivers: Drivers,
  zone: DueDelegation,
) {
  if (!(await db.transact((tx) => claimDelegation(tx, zone, clock.now() + claimMs)))) return
  const found = await ask(drivers, { ...zone, assigned: settings.zones.nameservers })
  const now = clock.now()
  const isNew = now - Date.parse(zone.created) < newMs
  const interval = (found?.status === 'valid' || (found && !isNew) ? usualMs : soonMs) * (1 + jitter * Math.random())
  const answer = found && { ...found, checked: timestamp(now) }
  await db.transact((tx) => recordDelegation(tx, zone, now + Math.round(interval), answer))
}

/** The finding; undefined when nobody answered, so that what was found before stays. */
async function ask({ zones }: Drivers, zone: AssignedZone): Promise<FoundDelegation | undefined> {
  try {
    return await inTime(zones.delegationOf!(zone), patienceMs)
  } catch (error) {
    if (error instanceof DriverError && error.transient) return undefined
    throw error
  }
}
