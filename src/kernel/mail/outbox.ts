/**
 * Mail to the owners of Projects. It is queued in the transaction that it reports about, at most once per event, and
 * sent afterwards (deliveries.ts, mailer.ts). A Project without an owner gets none. Finished rows are kept for some
 * time, so that no event is announced twice.
 */

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { lockOwner, ownedProjects, setOwner } from '../access/projects.ts'
import { drawId, type Queries, type Transaction } from '../data/db.ts'
import { acrossProjects, scoped } from '../data/scoped.ts'
import { timestamp } from '../process/clock.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { type MailContent, oneLine } from './template.ts'

/** An event of a Project under a unique name: `certificate 42 expires-7 <fingerprint>`. */
export interface ProjectEvent {
  readonly scope: ProjectScope
  readonly event: string
}

/** `logged` is for mail without a mail server; all states except `waiting` are final. */
export type MailState = 'waiting' | 'sent' | 'logged' | 'given_up'

export interface MailRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly event: string
  /** Left part of the Message-ID. All attempts use the same one, so that receivers can detect duplicates. */
  readonly message_id: string
  readonly recipient: string
  readonly content: string
  readonly created: string
  readonly finished: string | null
  readonly state: MailState
  readonly attempts: number
  /** Database time in milliseconds, like the next one. */
  readonly queued_at: number
  /** The earliest time of the next attempt: after a backoff, or when the lease of the current attempt has expired. */
  readonly next_attempt_at: number
  /** Increases with each claim. */
  readonly fence: number
  readonly last_error: string | null
}

declare module '../data/db.ts' {
  interface TenantTables {
    mail: MailRow
  }
}

/** Queues mail for the Project's owner. Returns false when there is no owner or the event was already announced. */
export async function queueMail(
  tx: Transaction,
  { scope, event }: ProjectEvent,
  content: MailContent,
): Promise<boolean> {
  const project = await lockOwner(tx, scope)
  if (!project?.owner_email) return false
  const now = tx.dialect.nowMs as unknown as number
  const row: MailRow = {
    id: await drawId(tx),
    project_id: scope.projectId,
    event,
    message_id: randomUUID(),
    recipient: project.owner_email,
    content: JSON.stringify(tidy({ ...content, facts: { ...content.facts, Project: project.name } })),
    created: timestamp(tx.now),
    finished: null,
    state: 'waiting',
    attempts: 0,
    queued_at: now,
    next_attempt_at: now,
    fence: 0,
    last_error: null,
  }
  const { numInsertedOrUpdatedRows } = await scoped(tx.query, scope)
    .insertInto('mail', [row])
    .onConflict((conflict) => conflict.columns(['project_id', 'event']).doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) return false
  tx.signal('mail', String(row.id))
  return true
}

/** Names given by tenants may contain anything; this keeps each of them on its line. */
function tidy({ subject, paragraphs, facts }: MailContent): MailContent {
  const lines = Object.entries(facts).map(([label, value]) => [label, oneLine(value)])
  return { subject: oneLine(subject, 200), paragraphs, facts: Object.fromEntries(lines) }
}

/** The events that their Project's owner has not been told about. Only a hint: `queueMail` decides. */
export async function untold<T extends ProjectEvent>(query: Queries, events: readonly T[]): Promise<T[]> {
  if (events.length === 0) return []
  const owned = await ownedProjects(query, [...new Set(events.map(({ scope }) => scope.projectId))])
  const owners = events.filter(({ scope }) => owned.has(scope.projectId))
  if (owners.length === 0) return []
  const rows = await acrossProjects(query)
    .selectFrom('mail')
    .select(['project_id', 'event'])
    .where('project_id', 'in', [...owned])
    .where(
      'event',
      'in',
      owners.map(({ event }) => event),
    )
    .execute()
  const told = new Set(rows.map((row) => `${row.project_id} ${row.event}`))
  return owners.filter(({ scope, event }) => !told.has(`${scope.projectId} ${event}`))
}

/**
 * Changes the owner of a Project. Mail that waits for the previous owner goes to the new one or, without one, to
 * nobody.
 */
export async function changeOwner(tx: Transaction, scope: ProjectScope, email: string | null): Promise<void> {
  await setOwner(tx, scope, email)
  const change =
    email === null
      ? { state: 'given_up' as const, finished: timestamp(tx.now), last_error: 'the Project has no owner any more' }
      : { recipient: email, next_attempt_at: tx.dialect.nowMs as unknown as number }
  // Ends the claim of a worker that is sending to the previous owner.
  await scoped(tx.query, scope)
    .updateTable('mail')
    .set({ ...change, fence: sql<number>`fence + 1` })
    .where('state', '=', 'waiting')
    .where('recipient', '<>', email ?? '')
    .execute()
  tx.signal('mail')
}
