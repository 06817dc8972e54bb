/**
 * Transfers of secondary zones: when their primaries are asked again, and what they sent. One process asks for a zone at
 * a time: the one that claims the check.
 */
import type { Database, Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { whenPossible, withDraft } from '../content/drafts.ts'
import { type Draft, publish } from '../content/store.ts'
import { sizeOf } from '../limits.ts'
import type { SealedPrimaries } from '../primaries/store.ts'
import { changeZone, lockZoneIfThere } from '../store.ts'

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

/** The records of one name and type as a primary sent them. */
export interface TransferredRrset {
  readonly name: string
  readonly type: string
  readonly ttl: number
  readonly values: readonly string[]
}

/** How a check ended. */
export interface Transferred {
  /** What the check was claimed with. */
  readonly claimed: number
  /** In how many milliseconds primaries are asked again. */
  readonly waitMs: number
  /** Whether a primary answered. */
  readonly isHeard: boolean
  /** Whether too much time has passed since one did to go on serving the zone. */
  readonly isStale: boolean
  /** Present when the zone had changed. */
  readonly content?: { readonly serial: number; readonly rrsets: readonly TransferredRrset[] }
}

/** Records how a check ended, and with it what the zone is from now on. Does nothing when the zone is gone. */
export async function storeTransfer(db: Database, source: Source, result: Transferred): Promise<void> {
  const { content } = result
  if (!content) return db.transact((tx) => storeResult(tx, source, result, undefined))
  const rrsets = content.rrsets.map(({ name, type, ttl, values }) => {
    return { name, type, ttl, records: values.map((value) => ({ value, comment: '' })) }
  })
  const [scope, zone] = [source.scope, { id: source.zoneId }]
  await whenPossible(scope, { zone, bytes: sizeOf(rrsets).textBytes }, () =>
    withDraft({ db, scope, zone }, rrsets, (draft) =>
      db.transact((tx) => storeResult(tx, source, result, { draft, serial: content.serial })),
    ),
  )
}

async function storeResult(
  tx: Transaction,
  source: Source,
  { isHeard, isStale, waitMs, claimed }: Transferred,
  content: { readonly draft: Draft; readonly serial: number } | undefined,
): Promise<void> {
  const { scope, zoneId } = source
  const zone = await lockZoneIfThere(tx, scope, String(zoneId))
  if (!zone) return
  await scoped(tx.query, scope)
    .updateTable('zone_source')
    .set({ refreshed: isHeard ? tx.now : source.refreshed, is_stale: isStale ? 1 : 0 })
    .where('zone_id', '=', zoneId)
    .execute()
  // A check that was made due meanwhile stays due.
  await claimCheck(tx, { ...source, nextCheck: claimed }, tx.now + waitMs)
  if (content) {
    const contentId = await publish(tx, scope, zone, content.draft)
    await changeZone(tx, scope, zone, { serial: content.serial, contentId, size: content.draft.size })
  } else if (isStale !== source.isStale) await changeZone(tx, scope, zone, { keys: [], serial: zone.serial })
}
