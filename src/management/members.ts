/** The management API reads and changes the members of a Project here. */
import { enterProject, getProject, lockOwner, lockProject } from '../kernel/access/projects.ts'
import type { Role } from '../kernel/access/roles.ts'
import { noteProject, noteSubjects } from '../kernel/audit/audited.ts'
import type { Handlers } from '../kernel/contract/contract.ts'
import type { Queries, Transaction } from '../kernel/data/db.ts'
import { ApiError, invalidInput, notFound } from '../kernel/errors.ts'
import { plainAddress } from '../kernel/mail/address.ts'
import { queueMail } from '../kernel/mail/outbox.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { ProjectId, ProjectScope } from '../kernel/scope.ts'
import { kindsByPerson } from '../people/credentials/credential-store.ts'
import {
  addMember,
  hasOwner,
  membersOf,
  raiseMember,
  removeMember,
  roleIn,
  setRole,
  transferOwnership,
} from '../people/memberships/membership-store.ts'
import type { People } from '../people/people.ts'
import { peopleByIds, personById } from '../people/person-store.ts'
import { lastSeenOf } from '../people/sessions/session-store.ts'
import type { MembershipRow, PersonRow } from '../people/tables.ts'
import type { memberEndpoints } from './contract.ts'

/** The handlers of the endpoints that are about members. */
export function memberRoutes({
  db,
  sessions,
  mail,
}: Pick<People, 'db' | 'sessions' | 'mail'>): Handlers<typeof memberEndpoints> {
  /** Does `work` on a member who is not the owner; this process forgets at once what sessions may do. */
  const change = <T>(scope: ProjectScope, personId: number, work: (tx: Transaction) => Promise<T>) =>
    db.transact(async (tx) => {
      // Whoever becomes the owner meanwhile stays.
      await lockProject(tx, scope, 'update')
      await checkMember(tx.query, scope, personId)
      tx.afterCommit(() => sessions.forget())
      return work(tx)
    })
  return {
    async listMembers({ scope }) {
      await getProject(db.query, scope)
      return { members: await toWires(db.query, scope) }
    },
    addMember: ({ caller, params: { project_id }, body: { person_id, role } }) =>
      db.transact(async (tx) => {
        const scope = { projectId: project_id as ProjectId }
        noteSubjects([person_id], tx)
        noteProject(await enterProject(tx, scope, 'update'), tx)
        const person = await personById(tx.query, person_id)
        if (!person) throw notFound('person', person_id)
        tx.afterCommit(() => sessions.forget())
        // Its owner, who is told at the end, is locked before what belongs to the Project.
        await lockOwner(tx, scope)
        if (role === 'owner') await giveOwner(tx, scope, person_id)
        else if ((await roleIn(tx.query, scope, person_id)) === undefined) await addMember(tx, scope, person_id, role)
        else {
          await checkMember(tx.query, scope, person_id)
          await setRole(tx, scope, person_id, role)
        }
        await tellOwner(tx, { scope, person, role, by: caller.actor.name, mail })
        return { member: await memberWire(tx.query, scope, person_id) }
      }),
    changeMember: ({ scope, params: { person_id }, body: { role } }) =>
      change(scope, person_id, async (tx) => {
        await setRole(tx, scope, person_id, role)
        return { member: await memberWire(tx.query, scope, person_id) }
      }),
    removeMember: ({ scope, params: { person_id } }) =>
      change(scope, person_id, async (tx) => {
        await removeMember(tx, scope, person_id)
      }),
    transferProject: ({ scope, body: { person_id } }) =>
      db.transact(async (tx) => {
        // Two transfers at the same time would make two owners.
        await enterProject(tx, scope, 'update')
        noteSubjects([person_id], tx)
        if (!(await transferOwnership(tx, scope, person_id))) throw notFound('member', person_id)
        tx.afterCommit(() => sessions.forget())
        return { member: await memberWire(tx.query, scope, person_id) }
      }),
  }
}

interface Joining extends Pick<People, 'mail'> {
  readonly scope: ProjectScope
  readonly person: PersonRow
  readonly role: Role
  readonly by: string
}

const toldMs = 5 * 86_400_000

/**
 * Tells the owner of a Project that an administrator of the installation has let somebody in: as a person, because admins
 * can change the address for mail about the Project, and at that address, which others may read too.
 */
async function tellOwner(tx: Transaction, { scope, person, role, by, mail }: Joining): Promise<void> {
  const project = await getProject(tx.query, scope)
  const content = {
    subject: 'Somebody has joined your Project on Wolke',
    paragraphs: [
      'Somebody who administers this installation has let a person into your Project without an invitation.',
      'If you did not expect this, ask them why. Who belongs to the Project is in its settings, and this is in its audit log.',
    ],
    facts: { Person: person.email, 'Let in by': by, Role: role },
  }
  const isOther = ({ person_id, role }: MembershipRow) => role === 'owner' && person_id !== person.id
  const owner = (await membersOf(tx.query, scope)).find(isOther)
  const recipient = owner && (await personById(tx.query, owner.person_id))?.email
  if (recipient !== undefined && recipient !== plainAddress(project.owner_email ?? '') && mail) {
    const facts = { ...content.facts, Project: project.name }
    await mail.queue(tx, { recipient, content: { ...content, facts } }, toldMs)
  }
  await queueMail(tx, { scope, event: `member ${person.id} ${timestamp(tx.now)}` }, content)
}

/** Makes a person the owner of a Project that has none. Errors: `invalid_input` for one that has. */
async function giveOwner(tx: Transaction, scope: ProjectScope, personId: number): Promise<void> {
  if (await hasOwner(tx.query, scope)) {
    throw invalidInput([{ field: 'role', message: 'the Project has an owner, who alone can transfer it' }])
  }
  await raiseMember(tx, scope, personId, 'owner')
}

/** Errors: `not_found`; `member_is_owner`, who only leaves by a transfer. */
async function checkMember(query: Queries, scope: ProjectScope, personId: number): Promise<void> {
  await getProject(query, scope)
  const role = await roleIn(query, scope, personId)
  if (role === undefined) throw notFound('member', personId)
  if (role !== 'owner') return
  throw new ApiError('member_is_owner', 'this is the owner; transfer the Project to somebody else first')
}

async function memberWire(query: Queries, scope: ProjectScope, personId: number) {
  return (await toWires(query, scope)).find(({ person_id }) => person_id === personId)!
}

async function toWires(query: Queries, scope: ProjectScope) {
  const members = await membersOf(query, scope)
  const ids = members.map(({ person_id }) => person_id)
  const people = await peopleByIds(query, ids)
  const kinds = await kindsByPerson(query, ids)
  const seen = await lastSeenOf(query, ids)
  return members.map(({ person_id, role, given_by, created }) => {
    const { email, name, verified } = people.get(person_id)!
    const has = kinds.get(person_id)
    const at = seen.get(person_id)
    return {
      ...{ person_id, email, name, role, given_by, created },
      last_seen: at === undefined ? null : timestamp(at),
      has_second_factor: has?.has('totp') === true || has?.has('passkey') === true,
      is_verified: verified !== null,
    }
  })
}
