/**
 * Every statement of those who send mail. They serve all Projects, so these go by the mail's id and the fence of the claim:
 * of several processes one holds a mail at a time, and one that comes back late finds its writes refused.
 */
import { type RawBuilder, sql } from 'kysely'
import { lockOwner } from '../access/projects.ts'
import type { Database, Queries, Transaction } from '../data/db.ts'
import type { Dialect } from '../data/dialect.ts'
import { timestamp } from '../process/clock.ts'
import type { MailRow } from './outbox.ts'
import type { MailContent } from './template.ts'

/** A claimed mail. */
export interface Delivery extends Pick<MailRow, 'id' | 'fence' | 'message_id' | 'recipient' | 'created' | 'attempts'> {
  readonly content: MailContent
  /** How long it has waited, in milliseconds. */
  readonly ageMs: number
}

/** How an attempt ended. */
export type Outcome =
  | { readonly state: 'sent' | 'logged' }
  | { readonly state: 'given_up'; readonly error: string }
  | { readonly state: 'waiting'; readonly error: string; readonly pauseMs: number }

/** Longer than any pause or claim. */
const farthestMs = 4 * 3_600_000
/** How long finished mail is kept, in milliseconds of calendar time: longer than any event could be told again. */
const keptMs = 90 * 86_400_000

/** A time further ahead than anybody waits is from before the database's clock was set back. */
const isDue = ({ nowMs }: Dialect): RawBuilder<boolean> =>
  sql`next_attempt_at not between ${nowMs} + 1 and ${nowMs} + ${farthestMs}`

/** Claims the mail that has been due for longest, for `leaseMs`; undefined when none is due. */
export async function claimMail(db: Database, leaseMs: number): Promise<Delivery | undefined> {
  const { rows } = await db.transact(({ query, dialect }) =>
    sql<MailRow & { age_ms: number }>`
      with claimed as (
        select id from mail where state = 'waiting' and ${isDue(dialect)}
        order by next_attempt_at, id limit 1 ${dialect.lockRows('skip')}
      )
      update mail set attempts = attempts + 1, fence = fence + 1, next_attempt_at = ${dialect.nowMs} + ${leaseMs}
      where state = 'waiting' and id in (select id from claimed)
      returning *, ${dialect.nowMs} - queued_at as age_ms
    `.execute(query),
  )
  const row = rows[0]
  return row && { ...row, content: JSON.parse(row.content) as MailContent, ageMs: row.age_ms }
}

/** Records how an attempt ended; false when the claim is no longer the newest, and then nothing is written. */
export async function recordAttempt(
  db: Database,
  { id, fence }: Pick<Delivery, 'id' | 'fence'>,
  outcome: Outcome,
): Promise<boolean> {
  const { numUpdatedRows } = await db.transact((tx) =>
    tx.query
      .updateTable('mail')
      .set({
        state: outcome.state,
        last_error: 'error' in outcome ? outcome.error : null,
        ...(outcome.state === 'waiting'
          ? { next_attempt_at: sql<number>`${tx.dialect.nowMs} + ${Math.round(outcome.pauseMs)}` }
          : { finished: timestamp(tx.now) }),
      })
      .where('id', '=', id)
      .where('fence', '=', fence)
      .where('state', '=', 'waiting')
      .executeTakeFirstOrThrow(),
  )
  return numUpdatedRows === 1n
}

/** Makes everything that waits due, when this process is the only user of the database: nobody else can be at it. */
export async function forgetClaims(db: Database): Promise<void> {
  if (db.dialect.shared) return
  await db.transact((tx) =>
    tx.query.updateTable('mail').set({ next_attempt_at: 0 }).where('state', '=', 'waiting').execute(),
  )
}

/** Lets mail that was given up or only logged go out after all, to the present owner; false when there is neither. */
export async function retryMail(tx: Transaction, id: number): Promise<boolean> {
  const mail = await tx.query
    .selectFrom('mail')
    .select('project_id')
    .where('id', '=', id)
    .where('state', 'in', ['given_up', 'logged'])
    .executeTakeFirst()
  const project = mail && (await lockOwner(tx, { projectId: mail.project_id }))
  if (!project?.owner_email) return false
  const now = tx.dialect.nowMs as unknown as number
  const anew = { state: 'waiting' as const, finished: null, attempts: 0, queued_at: now, next_attempt_at: now }
  await tx.query
    .updateTable('mail')
    .set({ ...anew, recipient: project.owner_email })
    .where('id', '=', id)
    .where('state', 'in', ['given_up', 'logged'])
    .execute()
  return true
}

/** Removes some of what has been done with for long. */
export async function removeOldMail(db: Database): Promise<void> {
  await db.transact(async ({ query, now }) => {
    const old = query
      .selectFrom('mail')
      .select('id')
      .where('finished', '<', timestamp(now - keptMs))
      .orderBy('finished')
      .limit(1_000)
    await query.deleteFrom('mail').where('id', 'in', old).execute()
  })
}

/** All mail, oldest first, in pages. */
export async function* allMail(query: Queries): AsyncGenerator<MailRow> {
  for (let after = 0, page: MailRow[] = []; ; ) {
    page = await query.selectFrom('mail').selectAll().where('id', '>', after).orderBy('id').limit(500).execute()
    yield* page
    if (page.length < 500) return
    after = page.at(-1)!.id
  }
}
