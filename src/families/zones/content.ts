/**
 * What is in a zone, as a whole. RRSets belong to a content, and a zone names the one that counts. Whoever replaces all of
 * them writes another content beside it, in short transactions between which others have their turn; the last one makes
 * the zone name it. So nobody ever sees a part of it, whatever dies in between. What no zone names any more, or was never
 * finished, is deleted in equally small steps.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Database, drawId, type Transaction, unavailable } from '../../kernel/data/db.ts'
import { type NewRow, scoped } from '../../kernel/data/scoped.ts'
import { onBehalfOf } from '../../kernel/process/behalf.ts'
import { FairQueue } from '../../kernel/process/fair-queue.ts'
import { inTurns } from '../../kernel/process/turns.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import type { Zone } from './domain.ts'
import { lineBytes, type ZoneLimits } from './limits.ts'
import { deleteSomeRrsets, insertRrsets, type NewRrset } from './rrset-store.ts'

/** Most RRSets that one transaction writes or deletes, and most bytes of them: it takes a few milliseconds. */
const stepRrsets = 400
const stepBytes = 128 * 1024
/** How long whoever writes a content has for each step before it counts as abandoned. */
const draftMs = 10 * 60_000

/** All RRSets that a zone is to have. */
export interface Draft {
  /** Where most of them are already; undefined when all are left for the last transaction. */
  readonly contentId: number | undefined
  /** What the last transaction writes. */
  readonly rest: readonly NewRrset[]
  readonly size: ZoneLimits
}

// ---- One at a time -------------------------------------------------------------------------------------------------

/** One at a time for each zone, so that none is written in vain; and a few for each Project, for the sake of the memory. */
const zonesAtWork = new FairQueue<number>({ atOnce: Number.POSITIVE_INFINITY, perKey: 1 })
const projectsAtWork = new FairQueue<ProjectId>({ atOnce: 8, perKey: 2 })
/** Up to so many bytes of text are read and written without waiting for anything else. */
const smallBytes = 32 * 1024

/** Has its turn with what is large: a text that is to be read, or RRSets that are to be written. */
export function whenPossible<T>(
  scope: ProjectScope,
  { zone, bytes }: { readonly zone: Pick<Zone, 'id'> | undefined; readonly bytes: number },
  work: () => Promise<T>,
): Promise<T> {
  if (bytes <= smallBytes) return work()
  const inProject = () => projectsAtWork.run(scope.projectId, () => onBehalfOf(scope.projectId, work))
  return zone ? zonesAtWork.run(zone.id, inProject) : inProject()
}

// ---- Writing -------------------------------------------------------------------------------------------------------

/** How much some RRSets are. */
export function sizeOf(rrsets: readonly NewRrset[]): ZoneLimits {
  let [records, textBytes] = [0, 0]
  for (const { name, type, records: some } of rrsets) {
    records += some.length
    for (const { value, comment } of some) textBytes += lineBytes({ name, type, value, comment })
  }
  return { records, textBytes }
}

/**
 * Writes what a zone is to contain, and has `use` publish it in a transaction that also changes the zone. `zone` is
 * undefined for one that is still to be made. Nothing is left when `use` fails.
 */
export async function withDraft<T>(
  { db, scope, zone }: { readonly db: Database; readonly scope: ProjectScope; readonly zone?: Pick<Zone, 'id'> },
  rrsets: readonly NewRrset[],
  use: (draft: Draft) => Promise<T>,
): Promise<T> {
  if (zone) await deleteSuperseded(db, scope, zone)
  const { pieces, size } = await inTurns(inPieces(rrsets))
  const rest = pieces.pop() ?? []
  let contentId: number | undefined
  try {
    for (const piece of pieces) {
      contentId = await db.transact(
        async (tx) => {
          const id = contentId === undefined ? await begin(tx, scope, zone) : await prolong(tx, scope, contentId)
          await insertRrsets(tx, scope, id, piece)
          return id
        },
        // The commit that publishes it waits for the disk, and for all of it.
        { isDurable: false },
      )
    }
    return await use({ contentId, rest, size })
  } catch (error) {
    // Should that fail too, it is deleted once it has expired.
    if (contentId !== undefined) await abandon(db, scope, contentId).catch(() => undefined)
    throw error
  }
}

function* inPieces(rrsets: readonly NewRrset[]): Generator<void, { pieces: NewRrset[][]; size: ZoneLimits }> {
  const pieces: NewRrset[][] = []
  let piece: NewRrset[] = []
  let [records, textBytes, bytes] = [0, 0, 0]
  for (const rrset of rrsets) {
    const size = sizeOf([rrset])
    records += size.records
    textBytes += size.textBytes
    bytes += size.textBytes
    if (piece.length === 0 || piece.length === stepRrsets || bytes > stepBytes) {
      piece = []
      pieces.push(piece)
      bytes = size.textBytes
    }
    piece.push(rrset)
    yield
  }
  return { pieces, size: { records, textBytes } }
}

const inMs = ({ dialect }: Transaction, ms: number) => sql<number>`${dialect.nowMs} + ${ms}`

async function begin(tx: Transaction, scope: ProjectScope, zone: Pick<Zone, 'id'> | undefined): Promise<number> {
  const id = await drawId(tx)
  await insertContent(tx, scope, { id, zone_id: zone?.id ?? 0, expires: inMs(tx, draftMs) })
  return id
}

/** `expires` may be an expression of the database's time, which the type of rows does not know. */
async function insertContent(
  tx: Transaction,
  scope: ProjectScope,
  row: { readonly id: number; readonly zone_id: number; readonly expires: RawBuilder<number> | null },
): Promise<void> {
  await scoped(tx.query, scope)
    .insertInto('zone_content', [row as NewRow<'zone_content'>])
    .execute()
}

const prolong = (tx: Transaction, scope: ProjectScope, id: number) =>
  keep(tx, scope, id, { expires: inMs(tx, draftMs) })

/** Keeps a draft from being deleted. Errors: `unavailable` when it took so long that it counts as abandoned. */
async function keep(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  change: { readonly expires: RawBuilder<number> | null; readonly zone_id?: number },
): Promise<number> {
  const { numUpdatedRows } = await scoped(tx.query, scope)
    .updateTable('zone_content')
    .set(change)
    .where('id', '=', id)
    .where('expires', '>', tx.dialect.nowMs)
    .executeTakeFirst()
  if (Number(numUpdatedRows) === 0) throw unavailable(new Error('what was written of the zone is gone'))
  return id
}

/**
 * Makes a draft the content of a zone, in the transaction that writes its id into the zone; what was in the zone before is
 * deleted later. Returns the id. Errors: `unavailable`.
 */
export async function publish(
  tx: Transaction,
  scope: ProjectScope,
  zone: Pick<Zone, 'id'> & Partial<Pick<Zone, 'contentId'>>,
  { contentId, rest }: Draft,
): Promise<number> {
  const id = contentId ?? (await drawId(tx))
  if (contentId === undefined) await insertContent(tx, scope, { id, zone_id: zone.id, expires: null })
  else await keep(tx, scope, id, { expires: null, zone_id: zone.id })
  await insertRrsets(tx, scope, id, rest)
  if (zone.contentId !== undefined) await retire(tx, scope, zone.contentId)
  return id
}

/** Lets what is in a zone be deleted later, in the transaction after which the zone no longer names it. */
export async function retire(tx: Transaction, scope: ProjectScope, contentId: number): Promise<void> {
  await scoped(tx.query, scope)
    .updateTable('zone_content')
    .set({ expires: tx.dialect.nowMs })
    .where('id', '=', contentId)
    .execute()
}

// ---- Deleting ------------------------------------------------------------------------------------------------------

/** Deletes what was not published. */
async function abandon(db: Database, scope: ProjectScope, id: number): Promise<void> {
  await db.transact(async (tx) => {
    await scoped(tx.query, scope)
      .updateTable('zone_content')
      .set({ expires: 0 })
      .where('id', '=', id)
      // Where the answer to a commit was lost, it may have been published.
      .where('expires', 'is not', null)
      .execute()
  })
  await deleteContent(db, scope, id)
}

/** Deletes what was in a zone, but for what was in it last: somebody may still be reading that. */
async function deleteSuperseded(db: Database, scope: ProjectScope, zone: Pick<Zone, 'id'>): Promise<void> {
  const rows = await scoped(db.query, scope)
    .selectFrom('zone_content')
    .select('id')
    .where('zone_id', '=', zone.id)
    .where('expires', '<=', db.dialect.nowMs)
    .orderBy('expires', 'desc')
    .execute()
  for (const { id } of rows.slice(1)) await deleteContent(db, scope, id)
}

/** Deletes a content that has expired, in small steps. */
export async function deleteContent(db: Database, scope: ProjectScope, id: number): Promise<void> {
  // What comes back is deleted again.
  while (await db.transact((tx) => deleteSome(tx, scope, id), { isDurable: false }));
}

/** One step of deleting a content. Returns whether there is more to do; not when somebody else does it. */
async function deleteSome(tx: Transaction, scope: ProjectScope, id: number): Promise<boolean> {
  const rows = scoped(tx.query, scope)
  const expired = await rows
    .selectFrom('zone_content')
    .select('id')
    .where('id', '=', id)
    .where('expires', '<=', tx.dialect.nowMs)
    .modifyEnd(tx.dialect.lockRows('skip'))
    .executeTakeFirst()
  if (!expired) return false
  await rows.updateTable('zone_content').set({ expires: 0 }).where('id', '=', id).execute()
  if (await deleteSomeRrsets(tx, scope, id, stepRrsets)) return true
  await rows.deleteFrom('zone_content').where('id', '=', id).execute()
  return false
}
