/** Statements on mail to people that waits to be sent. Who has claimed a row writes it under its fence (kernel/queue/leases.ts). */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { type ClockEvent, timestamp } from '../../kernel/process/clock.ts'
import {
  type Backlog,
  backlogOf,
  type Claimed,
  claimWork,
  forgetClaims,
  type Held,
  type Search,
  type WorkTable,
} from '../../kernel/queue/leases.ts'
import { eventsOfRows } from '../../kernel/resource/clock-events.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { PersonMailRow } from '../tables.ts'

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

interface NewMail {
  /** The Project that it is from, if it is from one. */
  readonly scope: ProjectScope | undefined
  readonly forMs: number
  /** Encrypts it for its row. */
  seal(id: number): string
}

/** Queues a mail. */
export async function insertMail(tx: Transaction, { scope, forMs, seal }: NewMail): Promise<void> {
  const id = await drawId(tx)
  const row: PersonMailRow = {
    id,
    project_id: scope?.projectId ?? null,
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

/** Counts the mail that waits, and finds since when the oldest does. */
export function openPersonMail(query: Queries): Promise<Backlog> {
  return backlogOf(
    query.selectFrom('person_mail').select(({ fn }) => [fn.countAll().as('waiting'), fn.min('created').as('oldest')]),
  )
}

/** The mail of Projects, or the mail that belongs to no Project. */
export type Whose = 'projects' | 'nobodys'

const conditions = { projects: sql<boolean>`project_id is not null`, nobodys: sql<boolean>`project_id is null` }

interface Claiming {
  readonly whose: Whose
  readonly leaseMs: number
  readonly limit: number
  readonly search: Search
}

/** Claims the mail that has been due longest, for `leaseMs`. */
export function claimPersonMail(
  db: Database,
  { whose, leaseMs, limit, search }: Claiming,
): Promise<Claimed<PersonMailRow>[]> {
  const { fullProjects, ...among } = search
  const found = whose === 'projects' ? search : among
  const where = () => [conditions[whose]]
  return claimWork<PersonMailRow>(db, personMails, { limit, leaseMs, longestMs: farthestMs, where, search: found })
}

/** The next times at which mail is sent again, in order. */
export function personMailAgain(query: Queries, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const pauses = { table: 'person_mail', column: 'next_attempt_at', holds: 'milliseconds' } as const
  return eventsOfRows(query, { ...pauses, type: 'person_mail', event: 'mail_again' }, afterMs, limit)
}

/** Tells whether any mail waits to be sent, now or later. */
export async function isPersonMailWaiting(query: Queries): Promise<boolean> {
  return (await query.selectFrom('person_mail').select('id').limit(1).execute()).length > 0
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

/** Lets one transaction at a time count and note what an address is sent. */
export async function lockRecipient(tx: Transaction, recipient: string): Promise<void> {
  await tx.dialect.lockKeys([`recipient ${recipient}`])?.execute(tx.query)
}

/** Notes that somebody is written to. */
export async function noteSent(tx: Transaction, scope: ProjectScope | undefined, recipient: string): Promise<void> {
  const row = { id: await drawId(tx), project_id: scope?.projectId ?? null, recipient, sent: tx.now }
  await tx.query.insertInto('person_mail_sent').values(row).execute()
}

interface Sent {
  readonly sinceMs: number
  /** The sender: one Project, all of them, or nobody. */
  readonly of: ProjectScope | Whose
  readonly recipient?: string
}

/** Counts sent mail. */
export async function countSent({ query }: Transaction, { sinceMs, of, recipient }: Sent): Promise<number> {
  const since = query.selectFrom('person_mail_sent').where('sent', '>', sinceMs)
  const some = recipient === undefined ? since : since.where('recipient', '=', recipient)
  const theirs = typeof of === 'string' ? some.where(conditions[of]) : some.where('project_id', '=', of.projectId)
  const { sent } = await theirs.select(({ fn }) => fn.countAll().as('sent')).executeTakeFirstOrThrow()
  return Number(sent)
}

export async function forgetSent(tx: Transaction, beforeMs: number): Promise<void> {
  await tx.query.deleteFrom('person_mail_sent').where('sent', '<', beforeMs).execute()
}
