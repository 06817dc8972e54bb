/** Statements on mail to people that waits to be sent. Who has claimed a row writes it under its fence (kernel/queue/leases.ts). */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, drawId, type Transaction } from '../kernel/data/db.ts'
import { timestamp } from '../kernel/process/clock.ts'
import {
  type Claimed,
  claimWork,
  forgetClaims,
  type Held,
  type Search,
  type WorkTable,
} from '../kernel/queue/leases.ts'
import type { PersonMailRow } from './tables.ts'

/** Longer than any pause or lease. */
const farthestMs = 4 * 3_600_000

export const personMails: WorkTable = {
  name: 'person_mail',
  isOpen: sql`fence >= 0`,
  pause: 'next_attempt_at',
  lease: 'next_attempt_at',
  unheld: {},
  order: ['next_attempt_at', 'id'],
}

/** Queues a mail; `seal` encrypts it for its row. */
export async function insertMail(tx: Transaction, forMs: number, seal: (id: number) => string): Promise<void> {
  const id = await drawId(tx)
  const row: PersonMailRow = {
    id,
    message_id: randomUUID(),
    sealed: seal(id),
    created: timestamp(tx.now),
    expires: tx.now + forMs,
    next_attempt_at: tx.dialect.nowMs as unknown as number,
    fence: 0,
    attempts: 0,
  }
  await tx.query.insertInto('person_mail').values(row).execute()
  tx.signal('person mail', String(id))
}

/** Claims the mail that has been due longest, for `leaseMs`. */
export function claimPersonMail(
  db: Database,
  leaseMs: number,
  limit: number,
  { underWay, among }: Search,
): Promise<Claimed<PersonMailRow>[]> {
  const search = { ...(underWay ? { underWay } : {}), among }
  return claimWork<PersonMailRow>(db, personMails, { limit, leaseMs, longestMs: farthestMs, search })
}

/** Makes all mail due when this process is the only user of the database. */
export function forgetPersonMailClaims(db: Database): Promise<void> {
  return forgetClaims(db, personMails)
}

/** Deletes a claimed mail that needs no more attempts. */
export async function endMail(tx: Transaction, { id, fence }: Held): Promise<void> {
  await tx.query.deleteFrom('person_mail').where('id', '=', id).where('fence', '=', fence).execute()
}

/** Deletes mail whose links have ended. */
export async function forgetOldMail(tx: Transaction): Promise<void> {
  await tx.query.deleteFrom('person_mail').where('expires', '<', tx.now).execute()
}
