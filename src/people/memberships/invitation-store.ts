/** Statements on invitations. Who deletes an invitation has accepted or withdrawn it. */

import type { Role } from '../../kernel/access/roles.ts'
import { noteTouched } from '../../kernel/audit/note.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { acrossProjects, scoped } from '../../kernel/data/scoped.ts'
import { type ClockEvent, timestamp } from '../../kernel/process/clock.ts'
import { eventsOfRows } from '../../kernel/resource/clock-events.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { hashSecret, isSecret, randomSecret } from '../credentials/secret-text.ts'
import { addressIn } from '../person-store.ts'
import type { InvitationRow } from '../tables.ts'

/** The time during which an invitation can be accepted, in milliseconds. */
export const invitationMs = 7 * 86_400_000

export type Inviter = Pick<InvitationRow, 'inviter_id' | 'inviter_token'>

export interface NewInvitation {
  readonly scope: ProjectScope
  readonly email: string
  readonly role: Role
  readonly inviter: Inviter
  readonly isMailed: boolean
}

/** Stores an invitation and returns it with its secret; an earlier one for the same address no longer counts. */
export async function createInvitation(
  tx: Transaction,
  { scope, email, role, inviter, isMailed }: NewInvitation,
): Promise<{ invitation: InvitationRow; secret: string }> {
  const secret = randomSecret()
  const row = {
    id: await drawId(tx),
    email: addressIn(email),
    role,
    hash: hashSecret(secret),
    ...inviter,
    mailed: isMailed ? (1 as const) : (0 as const),
    created: timestamp(tx.now),
    expires: tx.now + invitationMs,
  }
  const own = scoped(tx.query, scope)
  await own.deleteFrom('invitation').where('email', '=', row.email).execute()
  await own.insertInto('invitation', [row]).execute()
  noteTouched(tx, row.id)
  return { invitation: { ...row, project_id: scope.projectId }, secret }
}

export async function invitationsOf(query: Queries, scope: ProjectScope, nowMs: number): Promise<InvitationRow[]> {
  return scoped(query, scope).selectFrom('invitation').selectAll().where('expires', '>', nowMs).orderBy('id').execute()
}

/** Counts the open invitations of a Project, but for those to one address; counts no further than `most`. */
export async function countOpenInvitations(
  tx: Transaction,
  scope: ProjectScope,
  { butTo, most }: { readonly butTo: string; readonly most: number },
): Promise<number> {
  const open = scoped(tx.query, scope).selectFrom('invitation').select('id').where('expires', '>', tx.now)
  return (await open.where('email', '<>', butTo).limit(most).execute()).length
}

/** An invitation that can still be accepted. */
export async function invitationBySecret(
  query: Queries,
  secret: string | undefined,
  nowMs: number,
): Promise<InvitationRow | undefined> {
  if (!isSecret(secret)) return undefined
  return acrossProjects(query)
    .selectFrom('invitation')
    .selectAll()
    .where('hash', '=', hashSecret(secret))
    .where('expires', '>', nowMs)
    .executeTakeFirst()
}

/** Ends an invitation; false when it was accepted or withdrawn before. */
export async function endInvitation(tx: Transaction, scope: ProjectScope, id: number): Promise<boolean> {
  const { numDeletedRows } = await scoped(tx.query, scope)
    .deleteFrom('invitation')
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function forgetInvitations(tx: Transaction): Promise<void> {
  await acrossProjects(tx.query).deleteFrom('invitation').where('expires', '<', tx.now).execute()
}

/** The next times at which invitations can no longer be accepted, in order. */
export function invitationEnds(query: Queries, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const ends = { table: 'invitation', column: 'expires', holds: 'milliseconds' } as const
  return eventsOfRows(query, { ...ends, type: 'invitation', event: 'invitation_ends' }, afterMs, limit)
}
