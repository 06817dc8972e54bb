/** Removals stay known for this long: a call cannot be late by days, and rows of the past would only add up. */
import { carryOut } from '../../../../protocols/ovsdb/change.ts'
import type { Northbound } from '../northbound.ts'
import { allRemembered, deleteGroup } from './groups.ts'

const rememberedMs = 2 * 86_400_000

/** Forgets what was removed days before `now` (milliseconds since the epoch). Errors: those of the overlay. */
export async function forgetOld(database: Northbound, now: number): Promise<void> {
  await carryOut(database, async (change) => {
    for (const group of await allRemembered(database)) {
      const { gone } = group.marks ?? {}
      if (gone !== undefined && now - Date.parse(gone) > rememberedMs) deleteGroup(change, group)
    }
  })
}
