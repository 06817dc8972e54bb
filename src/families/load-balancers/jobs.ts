/** Tells a data plane again what it has lost. */
import type { Drivers } from '../../kernel/actions/define.ts'
import { inTime } from '../../kernel/actions/in-time.ts'
import type { Platform } from '../../platform.ts'
import { state } from './desired.ts'
import { existing, someBalancers } from './host.ts'

const atOnce = 100
const usualTimeoutMs = 20_000

/** The epoch of which a data plane has been told everything, by its driver. */
const told = new WeakMap<object, string>()

/**
 * Hands over all Load Balancers to a data plane that has lost what it had, and removes from it what is gone. One that
 * fails does not keep the others waiting. Errors: one for all that failed.
 */
export async function restoreDataPlane({ db, secrets }: Platform, drivers: Drivers): Promise<void> {
  const { loadBalancers: driver, callTimeoutMs = usualTimeoutMs } = drivers
  const inventory = await inTime(driver.inventory(), callTimeoutMs)
  if (!inventory || told.get(driver) === inventory.epoch) return
  const failures: unknown[] = []
  const attempt = (work: Promise<void>) =>
    inTime(work, callTimeoutMs).catch((error: unknown) => void failures.push(error))
  for (let after = 0; ; ) {
    const some = await someBalancers(db.query, after, atOnce)
    for (const { id, scope } of some) await attempt(state.repeat({ query: db.query, scope, drivers, secrets }, id))
    if (some.length < atOnce) break
    after = some.at(-1)!.id
  }
  const known = await existing(db.query, inventory.balancers)
  for (const id of inventory.balancers) if (!known.has(id)) await attempt(driver.remove(id, null))
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} Load Balancers are not as desired`)
  told.set(driver, inventory.epoch)
}
