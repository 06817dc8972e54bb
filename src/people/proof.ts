/** A request for each endpoint about people. */
import type { World } from '../../test/kit/harness.ts'
import { unique } from '../../test/kit/proof.ts'
import type { ProjectId } from '../kernel/scope.ts'
import type { peopleEndpoints } from './contract.ts'
import { addCredential } from './credentials/credential-store.ts'
import { createInvitation } from './memberships/invitation-store.ts'
import { createPerson } from './person-store.ts'
import { sessionsOf } from './sessions/session-store.ts'

/** The values of `{id}`, by the part of the path before it. */
export type Named = Readonly<Record<'people' | 'invitations' | 'credentials' | 'sessions', number>>

/** An invitation to a Project, and somebody with a credential and a session. */
export async function namedIn({ db, app }: World, project: number): Promise<Named> {
  const scope = { projectId: project as ProjectId }
  const given = { email: `${unique('person')}@example.com`, name: 'Somebody' }
  const { id, email } = await db.transact((tx) => createPerson(tx, given))
  const invited = { scope, email, role: 'viewer', inviter: { inviter_id: id, inviter_token: null } } as const
  const { invitation } = await db.transact((tx) => createInvitation(tx, { ...invited, isMailed: false }))
  const passkey = { personId: id, kind: 'passkey', subject: unique('passkey'), data: '{}', name: 'Laptop' } as const
  const credential = await db.transact((tx) => addCredential(tx, passkey))
  const whence = { network: '192.0.2.1', agent: 'test' }
  await db.transact((tx) => app.people.sessions.start(tx, { personId: id, whence }))
  const [session] = await sessionsOf(db.query, id, 0)
  return { people: id, invitations: invitation.id, credentials: credential.id, sessions: session!.id }
}

/**
 * Bodies by endpoint; those that are missing need none. What would change who calls is refused for what it says: no such
 * password, code, passkey or invitation.
 */
export const bodies: Readonly<Partial<Record<keyof typeof peopleEndpoints, () => Record<string, unknown>>>> = {
  updateAccount: () => ({ theme: 'dark' }),
  renameCredential: () => ({ name: 'Phone' }),
  setPassword: () => ({ password: 'short' }),
  confirmTotp: () => ({ ticket: 'none', code: '000000' }),
  addPasskey: () => ({ name: 'Laptop', response: {} }),
  elevate: () => ({ password: 'wrong' }),
  acceptInvitation: () => ({ code: 'none' }),
  createPerson: () => ({ email: `${unique('person')}@example.com`, installation_role: 'admin' }),
  updatePerson: () => ({ disabled: true }),
  invite: () => ({ email: `${unique('invited')}@example.com`, role: 'viewer' }),
}
