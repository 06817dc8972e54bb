/**
 * Invitations to Projects: bound to an address, used once, with a role that was fixed when they were made. They count only
 * while who made them could still make them.
 */

import { managementTokenNames } from '../../kernel/access/management-tokens.ts'
import { lockProject, projectName } from '../../kernel/access/projects.ts'
import { covers, type Role } from '../../kernel/access/roles.ts'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import { recordInProject, recordRefusal } from '../events.ts'
import { createAccount, type FirstWay } from '../new-account.ts'
import type { People } from '../people.ts'
import { personByEmail, personById } from '../person-store.ts'
import type { Whence } from '../sessions/sessions.ts'
import { deadLink } from '../setup.ts'
import type { InvitationRow, PersonRow } from '../tables.ts'
import { endInvitation, invitationBySecret } from './invitation-store.ts'
import { raiseMember, roleIn } from './membership-store.ts'

/** The name of the act in the audit log. */
const accepting = 'accept invitation'

/** An invitation that counts, in words. */
export interface Invited {
  readonly invitation: InvitationRow
  readonly project: string
  readonly inviter: string
  /** The person who has the address already. */
  readonly person: PersonRow | undefined
}

/** The invitation with a secret. Errors: `forbidden` when it does not count. */
export async function invitedBy(
  { db, clock }: Pick<People, 'db' | 'clock'>,
  secret: string | undefined,
): Promise<Invited> {
  return readInvitation(db.query, secret, clock.now())
}

/** The same for who accepts it: its Project, and the roles in it, stay as they are until the transaction ends. */
async function holdInvitation(tx: Transaction, secret: string | undefined): Promise<Invited> {
  const { invitation } = await readInvitation(tx.query, secret, tx.now)
  await lockProject(tx, { projectId: invitation.project_id }, 'share')
  return readInvitation(tx.query, secret, tx.now)
}

async function readInvitation(query: Queries, secret: string | undefined, nowMs: number): Promise<Invited> {
  const invitation = await invitationBySecret(query, secret, nowMs)
  if (!invitation) throw deadLink()
  const project = await projectName(query, { projectId: invitation.project_id })
  const inviter = await inviterOf(query, invitation, nowMs)
  if (project === undefined || inviter === undefined) throw deadLink()
  const person = await personByEmail(query, invitation.email)
  return { invitation, project, inviter, person }
}

/** The name of who made an invitation; undefined when they could not make it any more. */
async function inviterOf(query: Queries, invitation: InvitationRow, nowMs: number): Promise<string | undefined> {
  const { project_id, role, inviter_id, inviter_token } = invitation
  if (inviter_token !== null) return (await managementTokenNames(query, [inviter_token], nowMs)).get(inviter_token)
  const inviter = inviter_id === null ? undefined : await personById(query, inviter_id)
  if (!inviter || inviter.disabled !== null) return undefined
  const has = await roleIn(query, { projectId: project_id }, inviter.id)
  return has !== undefined && mayGive(has, role) ? inviter.name : undefined
}

/** The result of accepting: the role is the one held from now on, which may be more than what was offered. */
export interface Accepted {
  readonly projectId: ProjectId
  readonly role: Role
}

/** Lets a person who is signed in accept. Errors: `forbidden` when it does not count or is meant for somebody else. */
export async function accept(
  { db, sessions }: People,
  secret: string | undefined,
  person: PersonRow,
  network: string,
): Promise<Accepted> {
  return db.transact(async (tx) => {
    const { invitation } = await holdInvitation(tx, secret)
    if (invitation.email !== person.email) {
      throw new ApiError('forbidden', `this invitation is meant for ${invitation.email}`)
    }
    await spend(tx, invitation)
    tx.afterCommit(() => sessions.forget())
    return join(tx, invitation, person, network)
  })
}

/** Does the same where no request of the API records by itself what was refused. Errors: as `accept`. */
export async function acceptOnPage(
  people: People,
  secret: string | undefined,
  person: PersonRow,
  network: string,
): Promise<Accepted> {
  try {
    return await accept(people, secret, person, network)
  } catch (error) {
    if (error instanceof ApiError) recordRefusal(people, person, { operation: accepting, network, outcome: error.code })
    throw error
  }
}

export interface NewAccount {
  readonly name: string
  readonly way: FirstWay
}

/** Makes an account for the address of an invitation and accepts it; returns the secret of a session. */
export async function acceptAnew(
  { db, sessions }: People,
  secret: string | undefined,
  { name, way }: NewAccount,
  whence: Whence,
): Promise<string> {
  return db.transact(async (tx) => {
    const { invitation, person: known } = await holdInvitation(tx, secret)
    if (known) throw new ApiError('forbidden', 'there is an account with this address: log in to it first')
    await spend(tx, invitation)
    const about = { email: invitation.email, name, isVerified: invitation.mailed === 1 }
    const person = await createAccount(tx, about, way)
    const session = await sessions.start(tx, { personId: person.id, whence })
    await join(tx, invitation, person, whence.network)
    return session
  })
}

async function spend(tx: Transaction, { project_id, id }: InvitationRow): Promise<void> {
  if (!(await endInvitation(tx, { projectId: project_id }, id))) throw deadLink()
}

async function join(
  tx: Transaction,
  { project_id: projectId, role: offered }: InvitationRow,
  person: PersonRow,
  network: string,
): Promise<Accepted> {
  const role = (await raiseMember(tx, { projectId }, person.id, offered)) ?? offered
  await recordInProject(tx, person, { projectId, operation: accepting, role, network })
  return { projectId, role }
}

/** Tells whether somebody with a role may give another one: only an admin, and nothing that is more than its own. */
export function mayGive(has: Role, role: Role): boolean {
  return covers(has, 'admin') && covers(has, role) && role !== 'owner'
}
