/** How far signed zones of a Project are. */
import { sql } from 'kysely'
import type { Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Secrets } from '../../../kernel/secrets/secrets.ts'
import type { Zone } from '../domain.ts'
import type { ParentDs } from '../driver.ts'
import { changeZone } from '../store.ts'
import type { ZoneSigningRow } from '../tables.ts'
import { dueOf, isWanted, moveOf, type Signing, type SigningMove, type SigningStep, waits } from './domain.ts'
import { deleteKeys, insertKey, keysOfZone } from './keys/store.ts'
import { keysLedTo } from './parent.ts'

/** A signed zone under its lock. */
export interface LockedSigning extends Signing {
  readonly zone: Zone
}

export const fromRow = (row: ZoneSigningRow): Signing => ({
  step: row.step,
  until: row.until,
  isSeen: row.is_seen === 1,
  wantsRoll: row.wants_roll === 1,
  renewed: row.renewed,
})

/** How far a zone is, under its lock; undefined for one that is not signed. */
export async function signingOf(tx: Transaction, scope: ProjectScope, zone: Zone): Promise<LockedSigning | undefined> {
  const row = await scoped(tx.query, scope)
    .selectFrom('zone_signing')
    .selectAll()
    .where('zone_id', '=', zone.id)
    .executeTakeFirst()
  return row && { ...fromRow(row), zone }
}

/** Lets a zone be signed, for which the server makes a key. */
export async function insertSigning(tx: Transaction, scope: ProjectScope, zone: Zone): Promise<void> {
  const row = {
    zone_id: zone.id,
    step: 'wanted' as const,
    until: 0,
    is_seen: 0 as const,
    wants_roll: 0 as const,
    renewed: tx.now,
    due: 0,
    parent_ds: null,
    parent_checked: null,
  }
  await scoped(tx.query, scope).insertInto('zone_signing', [row]).execute()
}

/** Sets columns of a signed zone. */
export async function setSigning(
  tx: Transaction,
  scope: ProjectScope,
  zoneId: number,
  set: Partial<Omit<ZoneSigningRow, 'zone_id' | 'project_id'>>,
): Promise<void> {
  await scoped(tx.query, scope).updateTable('zone_signing').set(set).where('zone_id', '=', zoneId).execute()
}

/** Begins a step, which lasts until a time at least; what name servers answer is different from then on. */
export async function beginStep(
  tx: Transaction,
  scope: ProjectScope,
  zone: Zone,
  { step, until }: { readonly step: SigningStep; readonly until: number },
): Promise<void> {
  const next = { step, until, isSeen: false, wantsRoll: false, renewed: tx.now }
  await setSigning(tx, scope, zone.id, {
    ...{ step, until, is_seen: 0, wants_roll: 0, renewed: tx.now, due: dueOf(next, tx.now) },
  })
  await changeZone(tx, scope, zone, { keys: [], isSigned: true })
}

/** What zones are led on with. */
export interface Leading {
  readonly secrets: Secrets
  /** As {@link ZoneSettings} has it. */
  readonly keyLifetimeMs: number | undefined
}

/** Does what a zone is due for. Returns what it was. */
export async function advance(
  tx: Transaction,
  { secrets, keyLifetimeMs }: Leading,
  scope: ProjectScope,
  signing: LockedSigning,
): Promise<SigningMove | undefined> {
  const wantsRoll = signing.wantsRoll || (await isKeyOld(tx, scope, signing, keyLifetimeMs))
  const move = moveOf({ ...signing, wantsRoll }, tx.now)
  if (move) await moves[move]({ tx, secrets, scope, zone: signing.zone, signing })
  else await setSigning(tx, scope, signing.zone.id, { due: dueOf(signing, tx.now) })
  return move
}

/**
 * Tells whether the key of a zone is to roll by itself. A parent that cannot be asked, or that has DS records of something else, could
 * not be seen to follow.
 */
async function isKeyOld(
  tx: Transaction,
  scope: ProjectScope,
  { zone, step, isSeen }: LockedSigning,
  lifetimeMs: number | undefined,
): Promise<boolean> {
  if (lifetimeMs === undefined || step !== 'signed' || !isSeen) return false
  const [key] = await keysOfZone(tx.query, scope, zone.id)
  return key !== undefined && Date.parse(key.created) + lifetimeMs <= tx.now
}

interface Moved {
  readonly tx: Transaction
  readonly secrets: Secrets
  readonly scope: ProjectScope
  readonly zone: Zone
  readonly signing: Signing
}

const moves: Readonly<Record<SigningMove, (moved: Moved) => Promise<void>>> = {
  async makeKey({ tx, secrets, scope, zone }) {
    await insertKey(tx, secrets, scope, zone.id)
    await beginStep(tx, scope, zone, { step: 'signing', until: tx.now + (await longestTtlMs(tx, scope, zone)) })
  },
  announce: ({ tx, scope, zone }) => beginStep(tx, scope, zone, { step: 'signed', until: 0 }),
  async introduce({ tx, secrets, scope, zone }) {
    await insertKey(tx, secrets, scope, zone.id)
    await beginStep(tx, scope, zone, { step: 'introducing', until: tx.now + waits.keysMs })
  },
  submit: ({ tx, scope, zone }) =>
    beginStep(tx, scope, zone, { step: 'submitting', until: tx.now + waits.signaturesMs }),
  async retire({ tx, scope, zone }) {
    const old = (await keysOfZone(tx.query, scope, zone.id)).slice(0, -1)
    await deleteKeys(
      tx,
      scope,
      old.map(({ id }) => id),
    )
    await beginStep(tx, scope, zone, { step: 'signed', until: 0 })
  },
  async leave({ tx, scope, zone }) {
    for (const table of ['zone_key', 'zone_signing'] as const) {
      await scoped(tx.query, scope).deleteFrom(table).where('zone_id', '=', zone.id).execute()
    }
    await changeZone(tx, scope, zone, { keys: [], isSigned: false })
  },
  async renew({ tx, scope, zone, signing }) {
    const due = dueOf({ ...signing, renewed: tx.now }, tx.now)
    await setSigning(tx, scope, zone.id, { renewed: tx.now, due })
    await changeZone(tx, scope, zone, { keys: [] })
  },
}

/** How long answers of a zone may be kept by others, in milliseconds. */
async function longestTtlMs(tx: Transaction, scope: ProjectScope, zone: Zone): Promise<number> {
  const { longest } = await scoped(tx.query, scope)
    .selectFrom('rrset')
    .select(sql<number | null>`max(ttl)`.as('longest'))
    .where('content_id', '=', zone.contentId)
    .executeTakeFirstOrThrow()
  return Math.min(1_000 * Math.max(Number(longest ?? 0), zone.ttl), waits.mostTtlMs)
}

/** Notes the DS records of the parent; a step that waits for them ends once nobody remembers others. */
export async function noteParent(
  tx: Transaction,
  scope: ProjectScope,
  { zone, step, until, isSeen }: LockedSigning,
  found: ParentDs,
): Promise<void> {
  const keys = await keysOfZone(tx.query, scope, zone.id)
  const isThere = isWanted(step, keys, keysLedTo(zone.name, keys, found.ds), found.ds.length)
  await setSigning(tx, scope, zone.id, {
    parent_ds: JSON.stringify(found.ds.map((data) => data.toString('hex'))),
    parent_checked: timestamp(tx.now),
    is_seen: isThere ? 1 : 0,
    until: isThere && !isSeen ? Math.max(until, tx.now + (found.ttlMs ?? waits.unknownDsMs)) : until,
  })
}

/** Takes an operator's word for that the parent has the DS records that a step waits for. */
export async function noteSubmitted(
  tx: Transaction,
  scope: ProjectScope,
  { zone, until }: LockedSigning,
): Promise<void> {
  await setSigning(tx, scope, zone.id, { is_seen: 1, until: Math.max(until, tx.now + waits.unknownDsMs), due: tx.now })
}
