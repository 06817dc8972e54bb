/**
 * What follows from an identity that the provider has recognized. Issuer and subject are the identity. An address alone never
 * leads into an account that exists: somebody who can sign in to it has to link it first.
 */
import { findProject } from '../kernel/access/projects.ts'
import { covers } from '../kernel/access/roles.ts'
import type { Transaction } from '../kernel/data/db.ts'
import { ApiError } from '../kernel/errors.ts'
import { addCredential, credentialBySubject, noteUse } from './credential-store.ts'
import { recordOwnAct } from './events.ts'
import { setGroupRole } from './membership-store.ts'
import type { GroupRole, Identity, OidcOptions } from './oidc.ts'
import type { People } from './people.ts'
import { createPerson, personByEmail, personById, updatePerson } from './person-store.ts'
import { elevatedMs, type Whence } from './sessions.ts'
import { ownDefault } from './setup.ts'
import type { PersonRow } from './tables.ts'

const subjectOf = ({ issuer, subject }: Identity) => `${issuer} ${subject}`

/** Signs an identity in and returns the secret of its session. Errors: `forbidden` that says why not. */
export async function signInAs(people: People, identity: Identity, whence: Whence): Promise<string> {
  const { options } = people.oidc!
  return people.db.transact(async (tx) => {
    const credential = await credentialBySubject(tx.query, 'oidc', subjectOf(identity))
    const isAdmin = identity.email !== undefined && options.admins.includes(identity.email)
    const person = credential ? await personById(tx.query, credential.person_id) : await meet(tx, identity, isAdmin)
    if (!person || person.disabled !== null) throw new ApiError('forbidden', 'this person cannot sign in')
    if (isAdmin && credential) await updatePerson(tx, person.id, { installation_role: 'admin' })
    if (credential) await noteUse(tx, credential.id)
    // The provider may have let in whoever has the browser: only a recent sign-in there proves who that is.
    const elevatedUntil = identity.signedInMs === undefined ? 0 : tx.now + elevatedMs - identity.signedInMs
    const secret = await people.sessions.start(tx, { personId: person.id, whence, elevatedUntil })
    if (isAdmin) await ownDefault(tx, person.id)
    await applyGroups(tx, person.id, identity, options)
    return secret
  })
}

/** Somebody who has not been here before. */
async function meet(tx: Transaction, identity: Identity, isAdmin: boolean): Promise<PersonRow> {
  const { email, name } = identity
  if (email === undefined) {
    throw new ApiError('forbidden', 'the identity provider has not verified an e-mail address for this account')
  }
  if (await personByEmail(tx.query, email)) {
    throw new ApiError(
      'forbidden',
      `there is an account with the address ${email}: sign in to it as before, and link it in its security settings`,
    )
  }
  const person = await createPerson(tx, { email, name: name ?? email, installationRole: isAdmin ? 'admin' : 'none' })
  await link(tx, person.id, identity)
  return person
}

/** Links an identity to somebody who is signed in and has asked for it. Errors: as `link`. */
export async function linkOwn(tx: Transaction, person: PersonRow, identity: Identity, { network }: Whence) {
  await link(tx, person.id, identity)
  await recordOwnAct(tx, person, 'link identity', network)
}

/** Links an identity to a person. Errors: `uniqueness_error` when it belongs to somebody. */
async function link(tx: Transaction, personId: number, identity: Identity): Promise<void> {
  const { hostname } = new URL(identity.issuer)
  await addCredential(tx, { personId, kind: 'oidc', subject: subjectOf(identity), data: '', name: hostname })
}

async function applyGroups(
  tx: Transaction,
  personId: number,
  { groups }: Identity,
  options: OidcOptions,
): Promise<void> {
  for (const name of new Set(options.groups.map(({ project }) => project))) {
    const project = await findProject(tx.query, name)
    if (!project) continue
    const given = options.groups.filter((one) => one.project === name && groups.includes(one.group))
    await setGroupRole(tx, { projectId: project.id }, personId, highest(given))
  }
}

function highest(given: readonly GroupRole[]): GroupRole['role'] | undefined {
  return given
    .map(({ role }) => role)
    .reduce<GroupRole['role'] | undefined>((best, role) => {
      return best !== undefined && covers(best, role) ? best : role
    }, undefined)
}
