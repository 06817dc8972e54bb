/** The background job that leads signed zones from step to step. */
import { DriverError, type Drivers } from '../../../kernel/actions/define.ts'
import { inTime } from '../../../kernel/actions/in-time.ts'
import { onBehalfOf } from '../../../kernel/process/behalf.ts'
import { FairQueue } from '../../../kernel/process/fair-queue.ts'
import type { ProjectId } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import type { ParentDs } from '../driver.ts'
import { lockZoneIfThere } from '../store.ts'
import { isParentAsked } from './domain.ts'
import { type DueSigning, dueSignings } from './host.ts'
import { advance, noteParent, signingOf } from './store.ts'

const zonesAtOnce = 100
/** The longest time in which the parent of a zone is asked. */
const patienceMs = 5_000
const roundMs = 5_000
/** Zones that are led on at the same time: in all, and of one Project. */
const limits = { atOnce: 32, perKey: 8 }

/** Leads on the zones that are due, in a round of some seconds. */
export async function advanceSignings(
  platform: Pick<Platform, 'db' | 'clock' | 'secrets' | 'settings'>,
  drivers: Drivers,
): Promise<void> {
  const end = performance.now() + roundMs
  const met = new Set<number>()
  const queue = new FairQueue<ProjectId>(limits)
  do {
    const due = await dueSignings(platform.db.query, platform.clock.now(), zonesAtOnce)
    const some = due.filter(({ zoneId }) => !met.has(zoneId))
    if (some.length === 0) return
    for (const { zoneId } of some) met.add(zoneId)
    await Promise.all(
      some.map((zone) =>
        queue.run(zone.scope.projectId, () => onBehalfOf(zone.scope.projectId, () => leadOn(platform, drivers, zone))),
      ),
    )
  } while (performance.now() < end)
}

async function leadOn(
  { db, secrets, settings }: Parameters<typeof advanceSignings>[0],
  drivers: Drivers,
  { zoneId, name, step, scope }: DueSigning,
): Promise<void> {
  const found = isParentAsked(step) ? await ask(drivers, name) : undefined
  await db.transact(async (tx) => {
    const zone = await lockZoneIfThere(tx, scope, String(zoneId))
    const signing = zone && (await signingOf(tx, scope, zone))
    if (!signing) return
    // Another process may have led it on meanwhile, so that the answer is one to another question.
    if (found && signing.step === step) await noteParent(tx, scope, signing, found)
    const noted = await signingOf(tx, scope, signing.zone)
    await advance(tx, { secrets, keyLifetimeMs: settings.zones.keyLifetimeMs }, scope, noted!)
  })
}

/** The DS records of the parent; undefined when nobody answered, or nobody is to be asked. */
async function ask({ zones }: Drivers, name: string): Promise<ParentDs | undefined> {
  try {
    return zones.dsOf && (await inTime(zones.dsOf(name), patienceMs))
  } catch (error) {
    if (error instanceof DriverError && error.transient) return undefined
    throw error
  }
}
