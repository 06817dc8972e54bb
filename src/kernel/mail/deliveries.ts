/**
 * All statements of the workers that send mail. They serve all Projects, so these statements select by mail id and
 * fence (kernel/queue/leases.ts).
 */

import { sql } from 'kysely'
import { lockOwner } from '../access/projects.ts'
import { type PageBack, pageBack } from '../data/backwards.ts'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import { largestId } from '../ids.ts'
import { type ClockEvent, timestamp } from '../process/clock.ts'
import {
  type Backlog,
  backlogOf,
  claimWork,
  forgetClaims,
  releaseHeld,
  type Search,
  type WorkTable,
  writeHeld,
} from '../queue/leases.ts'
import { eventsOfRows } from '../resource/clock-events.ts'
import type { MailRow, MailState } from './outbox.ts'
import type { MailContent } from './template.ts'

/** A claimed mail. */
export interface Delivery
  extends Pick<MailRow, 'id' | 'project_id' | 'fence' | 'message_id' | 'recipient' | 'created' | 'attempts'> {
  readonly content: MailContent
  /** Time since it was queued, in milliseconds. */
  readonly ageMs: number
}

/** The outcome of an attempt. */
export type Outcome =
  | { readonly state: 'sent' | 'logged' }
  | { readonly state: 'given_up'; readonly error: string }
  | { readonly state: 'waiting'; readonly error: string; readonly pauseMs: number }

/** Longer than any pause or lease. */
const farthestMs = 4 * 3_600_000
/** The retention of finished mail, in milliseconds: longer than any event could be announced again. */
const keptMs = 90 * 86_400_000

const mails: WorkTable = {
  name: 'mail',
  isOpen: sql`state = 'waiting'`,
  pause: 'next_attempt_at',
  lease: 'next_attempt_at',
  unheld: {},
  order: ['next_attempt_at', 'id'],
}

/** The most mail to the owner of a Project within a day, so that whoever may name the owner cannot flood somebody. */
const mostOfDay = 100
const dayMs = 86_400_000

/** Tells whether less was sent to the owner of a Project within the last day. */
const isWithinDay = (nowMs: number) => sql<boolean>`project_id not in (
  select project_id from mail as done where finished > ${timestamp(nowMs - dayMs)} and state = 'sent'
  group by project_id having count(*) >= ${mostOfDay}
)`

/** Claims the mail that has been due longest, for `leaseMs`. */
export async function claimMail(
  db: Database,
  leaseMs: number,
  limit: number,
  search: Search = {},
): Promise<Delivery[]> {
  const where = (nowMs: number) => [isWithinDay(nowMs)]
  const rows = await claimWork<MailRow>(db, mails, { limit, leaseMs, longestMs: farthestMs, where, search })
  return rows.map((row) => {
    return { ...row, content: JSON.parse(row.content) as MailContent, ageMs: row.claimed_at - row.queued_at }
  })
}

/** Records the outcome of an attempt. Errors: `LeaseLost` when there is a newer claim; nothing is written then. */
export async function recordAttempt(
  db: Database,
  delivery: Pick<Delivery, 'id' | 'fence'>,
  outcome: Outcome,
): Promise<void> {
  await db.transact(async (tx) => {
    const last_error = 'error' in outcome ? outcome.error : null
    if (outcome.state === 'waiting') {
      return releaseHeld(tx, mails, delivery, { delayMs: outcome.pauseMs, counts: true }, { last_error })
    }
    return writeHeld(tx, mails, delivery, { state: outcome.state, last_error, finished: timestamp(tx.now) })
  })
}

/** The next times at which mail is sent again, in order. */
export function repetitions(query: Queries, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const pauses = { table: 'mail', column: 'next_attempt_at', holds: 'milliseconds', type: 'mail' } as const
  return eventsOfRows(query, { ...pauses, event: 'mail_again', where: "state = 'waiting'" }, afterMs, limit)
}

/** Tells whether any mail waits to be sent, now or later. */
export async function isMailWaiting(query: Queries): Promise<boolean> {
  const rows = await acrossProjects(query)
    .selectFrom('mail')
    .select('id')
    .where('state', '=', 'waiting')
    .limit(1)
    .execute()
  return rows.length > 0
}

/** The waiting mail that failed and is tried again next; undefined when none has failed. */
export async function troubledMail(query: Queries): Promise<Pick<MailRow, 'id' | 'last_error'> | undefined> {
  return acrossProjects(query)
    .selectFrom('mail')
    .select(['id', 'last_error'])
    .where('state', '=', 'waiting')
    .where('last_error', 'is not', null)
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Makes all waiting mail due when this process is the only user of the database, because no other worker can hold it.
 */
export async function forgetMailClaims(db: Database): Promise<void> {
  await forgetClaims(db, mails)
}

/**
 * Queues mail again that was given up or only logged, for the current owner. False when there is no such mail or owner.
 */
export async function retryMail(tx: Transaction, id: number): Promise<boolean> {
  const mail = await acrossProjects(tx.query)
    .selectFrom('mail')
    .select('project_id')
    .where('id', '=', id)
    .where('state', 'in', ['given_up', 'logged'])
    .executeTakeFirst()
  const project = mail && (await lockOwner(tx, { projectId: mail.project_id }))
  if (!project?.owner_email) return false
  const now = tx.dialect.nowMs as unknown as number
  const anew = { state: 'waiting' as const, finished: null, attempts: 0, queued_at: now, next_attempt_at: now }
  await acrossProjects(tx.query)
    .updateTable('mail')
    .set({ ...anew, recipient: project.owner_email })
    .where('id', '=', id)
    .where('state', 'in', ['given_up', 'logged'])
    .execute()
  return true
}

/** Deletes a batch of mail that was finished long ago. */
export async function removeOldMail(db: Database): Promise<void> {
  await db.transact(async ({ query, now }) => {
    const all = acrossProjects(query)
    const old = all
      .selectFrom('mail')
      .select('id')
      .where('finished', '<', timestamp(now - keptMs))
      .orderBy('finished')
      .limit(1_000)
    await all.deleteFrom('mail').where('id', 'in', old).execute()
  })
}

/** Counts the mail that has not been sent yet, and finds since when the oldest waits. */
export async function openMail(query: Queries): Promise<Backlog> {
  return backlogOf(
    acrossProjects(query)
      .selectFrom('mail')
      .select(({ fn }) => [fn.countAll().as('waiting'), fn.min('created').as('oldest')])
      .where('state', '=', 'waiting'),
  )
}

/** A page of mail of all Projects with ids below `before`, newest first. */
export async function pageOfMail(
  query: Queries,
  states: readonly MailState[] | undefined,
  { before = largestId, most }: { readonly before?: number | undefined; readonly most: number },
): Promise<PageBack<MailRow>> {
  const read = (below: number, limit: number) =>
    acrossProjects(query)
      .selectFrom('mail')
      .selectAll()
      .where('id', '<', below)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  return pageBack({ read, passes: ({ state }) => states?.includes(state) ?? true, isOver: () => false }, before, most)
}

export async function mailById(query: Queries, id: number): Promise<MailRow | undefined> {
  return acrossProjects(query).selectFrom('mail').selectAll().where('id', '=', id).executeTakeFirst()
}

/** All mail, oldest first, read in pages. */
export async function* allMail(query: Queries): AsyncGenerator<MailRow> {
  for (let after = 0, page: MailRow[] = []; ; ) {
    page = await acrossProjects(query)
      .selectFrom('mail')
      .selectAll()
      .where('id', '>', after)
      .orderBy('id')
      .limit(500)
      .execute()
    yield* page
    if (page.length < 500) return
    after = page.at(-1)!.id
  }
}
