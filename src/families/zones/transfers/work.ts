/** Secondary zones become what their primaries sent, on behalf of the name server. */
import type { Database, Transaction } from '../../../kernel/data/db.ts'
import { type Draft, publish } from '../content/store.ts'
import { whenPossible, withDraft } from '../content/work.ts'
import { sizeOf } from '../limits.ts'
import { changeZone, lockZoneIfThere } from '../store.ts'
import { claimCheck, recordCheck, type Source } from './store.ts'

/** The records of one name and type as a primary sent them. */
export interface TransferredRrset {
  readonly name: string
  readonly type: string
  readonly ttl: number
  readonly values: readonly string[]
}

/** The end of a check. */
interface Transferred {
  /** The check was claimed with it. */
  readonly claimed: number
  /** In how many milliseconds primaries are asked again. */
  readonly waitMs: number
  /** True when a primary answered. */
  readonly isHeard: boolean
  /** True when too much time has passed since one did to go on serving the zone. */
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
  await recordCheck(tx, source, { refreshed: isHeard ? tx.now : source.refreshed, isStale })
  // A check that was made due meanwhile stays due.
  await claimCheck(tx, { ...source, nextCheck: claimed }, tx.now + waitMs)
  if (content) {
    const contentId = await publish(tx, scope, zone, content.draft)
    await changeZone(tx, scope, zone, { serial: content.serial, contentId, size: content.draft.size })
  } else if (isStale !== source.isStale) await changeZone(tx, scope, zone, { keys: [], serial: zone.serial })
}
