/**
 * When the primaries of secondary zones are asked again, and when they were heard. One process asks for a zone at a time:
 * the one that claims the check.
 */
import type { Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { SealedPrimaries } from '../primaries/store.ts'

/** A secondary zone with its primaries and the state of its checks. */
export interface Source {
  readonly zoneId: number
  readonly contentId: number
  readonly scope: ProjectScope
  readonly name: string
  readonly serial: number
  readonly primaries: SealedPrimaries
  /** When its primaries are asked again, and when one was heard last; in milliseconds of the clock. */
  readonly nextCheck: number
  readonly refreshed: number | null
  readonly isStale: boolean
}

/** Sets when the primaries are asked next, unless another process did. Returns whether this one won. */
export async function claimCheck(tx: Transaction, source: Source, nextCheck: number): Promise<boolean> {
  const { numUpdatedRows } = await scoped(tx.query, source.scope)
    .updateTable('zone_source')
    .set({ next_check: nextCheck })
    .where('zone_id', '=', source.zoneId)
    .where('next_check', '=', source.nextCheck)
    .executeTakeFirst()
  return Number(numUpdatedRows) === 1
}

/** Makes a check of the zone due at once, even while one is running. */
export async function wakeCheck(tx: Transaction, { scope, zoneId }: Source): Promise<void> {
  await scoped(tx.query, scope)
    .updateTable('zone_source')
    .set({ next_check: 0 })
    .where('zone_id', '=', zoneId)
    .execute()
}

/** Records when a primary was heard last, and whether that is too long ago to go on serving the zone. */
export async function recordCheck(
  tx: Transaction,
  { scope, zoneId }: Source,
  { refreshed, isStale }: Pick<Source, 'refreshed' | 'isStale'>,
): Promise<void> {
  await scoped(tx.query, scope)
    .updateTable('zone_source')
    .set({ refreshed, is_stale: isStale ? 1 : 0 })
    .where('zone_id', '=', zoneId)
    .execute()
}
