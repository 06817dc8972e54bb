/**
 * Where secondary zones come from, what they were transferred, and when their primaries are asked again. One process
 * asks for a zone at a time: who claims the check goes and asks.
 */
import { sql } from 'kysely'
import type { Database, Queries, Transaction } from '../../kernel/data/db.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import { type Draft, publish, sizeOf, whenPossible, withDraft } from './content.ts'
import { primariesFromRow, type SealedPrimaries } from './primaries.ts'
import { changeZone, findZone } from './store.ts'

/** What there is to know about the origin of a secondary zone. */
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

function sources(query: Queries) {
  return query
    .selectFrom('zone_source')
    .innerJoin('zone', 'zone.id', 'zone_source.zone_id')
    .select([
      'zone_source.zone_id',
      'zone_source.project_id',
      'content_id',
      'nameservers',
      'tsig_keys',
      'next_check',
      'refreshed',
      'is_stale',
      'name',
      'serial',
    ])
}

interface SourceFields {
  readonly zone_id: number
  readonly project_id: ProjectId
  readonly content_id: number
  readonly nameservers: string
  readonly tsig_keys: string | null
  readonly next_check: number
  readonly refreshed: number | null
  readonly is_stale: 0 | 1
  readonly name: string
  readonly serial: number
}

function toSource(row: SourceFields): Source {
  return {
    zoneId: row.zone_id,
    contentId: row.content_id,
    scope: { projectId: row.project_id },
    name: row.name,
    serial: row.serial,
    primaries: primariesFromRow(row),
    nextCheck: row.next_check,
    refreshed: row.refreshed,
    isStale: row.is_stale === 1,
  }
}

/** How many zones are taken in hand at once: in all, and of one Project. */
export interface DueLimits {
  readonly inAll: number
  readonly perProject: number
}

/**
 * Secondary zones whose primaries are to be asked by now: of each Project those that have waited the longest, and the
 * first of every Project before the second of any.
 */
export async function dueZones(query: Queries, nowMs: number, { inAll, perProject }: DueLimits): Promise<Source[]> {
  const place = sql<number>`row_number() over (partition by project_id order by next_check, zone_id)`
  const due = query
    .selectFrom('zone_source')
    .select(['zone_id as due_id', place.as('place')])
    .where('next_check', '<=', nowMs)
  const rows = await sources(query)
    .innerJoin(due.as('due'), 'due_id', 'zone_source.zone_id')
    .where('place', '<=', perProject)
    .orderBy('place')
    .orderBy('next_check')
    .limit(inAll)
    .execute()
  return rows.map(toSource)
}

/** Where a zone comes from; undefined for one that is not secondary. */
export async function sourceOf(query: Queries, zoneId: number): Promise<Source | undefined> {
  const row = await sources(query).where('zone_source.zone_id', '=', zoneId).executeTakeFirst()
  return row && toSource(row)
}

/** Sets when a zone is asked for again, unless somebody else did meanwhile. Returns whether it was us. */
export async function claimCheck(tx: Transaction, source: Source, nextCheck: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('zone_source')
    .set({ next_check: nextCheck })
    .where('project_id', '=', source.scope.projectId)
    .where('zone_id', '=', source.zoneId)
    .where('next_check', '=', source.nextCheck)
    .executeTakeFirst()
  return Number(numUpdatedRows) === 1
}

/** Has a zone asked for at once, also when somebody is just asking. */
export async function wakeCheck(tx: Transaction, { scope, zoneId }: Source): Promise<void> {
  await tx.query
    .updateTable('zone_source')
    .set({ next_check: 0 })
    .where('project_id', '=', scope.projectId)
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
  const zone = await findZone(tx.query, scope, String(zoneId), tx.dialect.lockRows('update'))
  if (!zone) return
  await tx.query
    .updateTable('zone_source')
    .set({ refreshed: isHeard ? tx.now : source.refreshed, is_stale: isStale ? 1 : 0 })
    .where('project_id', '=', scope.projectId)
    .where('zone_id', '=', zoneId)
    .execute()
  // Who wanted it asked for at once in the meantime still does.
  await claimCheck(tx, { ...source, nextCheck: claimed }, tx.now + waitMs)
  if (content) {
    const contentId = await publish(tx, scope, zone, content.draft)
    await changeZone(tx, scope, zone, { serial: content.serial, contentId, size: content.draft.size })
  } else if (isStale !== source.isStale) await changeZone(tx, scope, zone, { keys: [], serial: zone.serial })
}
