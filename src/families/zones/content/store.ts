/**
 * What is in a zone, as a whole. RRSets belong to a content, and a zone names the one that counts. Whoever replaces all of
 * them writes another content beside it, in short transactions between which others have their turn; the last one makes
 * the zone name it. So nobody ever sees a part of it, whatever dies in between. What no zone names any more, or was never
 * finished, is deleted in equally small steps.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Database, drawId, type Transaction, unavailable } from '../../../kernel/data/db.ts'
import { type NewRow, scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Zone } from '../domain.ts'
import type { ZoneLimits } from '../limits.ts'
import { deleteSomeRrsets, insertRrsets, type NewRrset } from '../rrsets/store.ts'

/** How long whoever writes a content has for each step before it counts as abandoned. */
const draftMs = 10 * 60_000

/** Most RRSets that one transaction writes or deletes: it takes a few milliseconds. */
export const stepRrsets = 400

/** All RRSets that a zone is to have. */
export interface Draft {
  /** Where most of them are already; undefined when all are left for the last transaction. */
  readonly contentId: number | undefined
  /** What the last transaction writes. */
  readonly rest: readonly NewRrset[]
  readonly size: ZoneLimits
}

// ---- Writing -------------------------------------------------------------------------------------------------------

const inMs = ({ dialect }: Transaction, ms: number) => sql<number>`${dialect.nowMs} + ${ms}`

/** Begins a draft; without a zone for one that is still to be made. Returns its id. */
export async function begin(tx: Transaction, scope: ProjectScope, zone: Pick<Zone, 'id'> | undefined): Promise<number> {
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

/** Gives whoever writes a draft more time. Errors: `unavailable`. */
export const prolong = (tx: Transaction, scope: ProjectScope, id: number) =>
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

/** Deletes a draft that was not published. One that comes back is deleted once it has expired. */
export async function abandon(db: Database, scope: ProjectScope, id: number): Promise<void> {
  await db.transact(
    async (tx) => {
      await scoped(tx.query, scope)
        .updateTable('zone_content')
        .set({ expires: 0 })
        .where('id', '=', id)
        // Where the answer to a commit was lost, it may have been published.
        .where('expires', 'is not', null)
        .execute()
    },
    { isDurable: false },
  )
  await deleteContent(db, scope, id)
}

/** Deletes the previous contents of a zone except the last one, which somebody may still be reading. */
export async function deleteSuperseded(db: Database, scope: ProjectScope, zone: Pick<Zone, 'id'>): Promise<void> {
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
