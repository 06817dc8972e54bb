/**
 * An identity that the provider has recognized signs in here. Issuer and subject are the identity. An address alone
 * never leads into the account of somebody who is verified: the person who can sign in to it has to link it first.
 */
import { defaultProject, findProject, lockExisting } from '../../kernel/access/projects.ts'
import { covers } from '../../kernel/access/roles.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import { addCredential, credentialBySubject, noteUse } from '../credentials/credential-store.ts'
import { recordFailedSignIn, recordInProject, recordOwnAct, recordRefusal } from '../events.ts'
import { groupProjects, setGroupRole } from '../memberships/membership-store.ts'
import type { People } from '../people.ts'
import { createPerson, personByEmail, personById, updatePerson } from '../person-store.ts'
import { elevatedMs, type Whence } from '../sessions/sessions.ts'
import { ownDefault } from '../setup.ts'
import type { PersonRow } from '../tables.ts'
import { verifyAddress } from '../verified.ts'
import type { GroupRole, Identity, OidcOptions } from './oidc.ts'

const subjectOf = ({ issuer, subject }: Identity) => `${issuer} ${subject}`

/** Signs an identity in and returns the secret of its session. Errors: `forbidden` that says why not. */
export async function signInAs(people: People, identity: Identity, whence: Whence): Promise<string> {
  let refused: PersonRow | undefined
  try {
    return await people.db.transact(async (tx) => {
      const person = await recognize(tx, people, identity, whence)
      refused = person.disabled === null ? undefined : person
      if (refused) throw new ApiError('forbidden', 'this person cannot sign in')
      return enter(tx, people, { person, identity, whence })
    })
  } catch (error) {
    recordFailedSignIn(people, refused, whence.network, 'forbidden')
    throw error
  }
}

/** Finds or creates the person of an identity; the options make administrators. Errors: as `meet`. */
async function recognize(tx: Transaction, people: People, identity: Identity, { network }: Whence): Promise<PersonRow> {
  const credential = await credentialBySubject(tx.query, 'oidc', subjectOf(identity))
  const known = credential && (await personById(tx.query, credential.person_id))
  const person = known ?? (await meet(tx, identity, network))
  const { admins } = people.oidc!.options
  const isRising = admins.some((one) => one === identity.email) && person.installation_role !== 'admin'
  const change = isRising ? ({ installation_role: 'admin' } as const) : {}
  const isShown = person.verified === null && person.email === identity.email
  if (isShown) {
    const shown = { network, keptId: credential?.id, change }
    if (!(await verifyAddress(tx, person, shown)) && !credential) throw takenAddress(person.email)
  } else await updatePerson(tx, person.id, change)
  if (isRising) await recordOwnAct(tx, person, 'become administrator', network)
  // Removing an identity waits for this, or this for the removal.
  if (credential && !(await noteUse(tx, credential.id))) throw new ApiError('forbidden', 'this identity was removed')
  if (!credential) await link(tx, person.id, identity)
  if (isShown) await people.sessions.revokeAll(tx, person.id)
  return person
}

interface Entering {
  readonly person: PersonRow
  readonly identity: Identity
  readonly whence: Whence
}

async function enter(tx: Transaction, people: People, { person, identity, whence }: Entering): Promise<string> {
  const { options } = people.oidc!
  // The provider may have let in whoever has the browser: only a recent sign-in there proves who that is.
  const elevatedUntil = identity.signedInMs === undefined ? 0 : tx.now + elevatedMs - identity.signedInMs
  const secret = await people.sessions.start(tx, { personId: person.id, whence, elevatedUntil })
  const isAdmin = identity.email !== undefined && options.admins.includes(identity.email)
  const roles = await rolesByGroup(tx, person, identity, options)
  // All of them are locked before anything in them is written; what was deleted meanwhile is left out.
  const own = isAdmin ? await defaultProject(tx.query) : undefined
  const there = await lockExisting(tx, [...roles.keys(), ...(own ? [own.id] : [])])
  if (own && there.has(own.id)) await ownDefault(tx, person, whence)
  for (const [projectId, role] of roles) {
    if (there.has(projectId)) await applyRole(tx, { person, projectId, role, whence })
  }
  return secret
}

/**
 * Somebody who has not been here before, or whose address is that of a person of whom nobody has shown yet whose it is.
 * Errors: `forbidden` without a verified address, and for one of a person who is verified.
 */
async function meet(tx: Transaction, { email, name }: Identity, network: string): Promise<PersonRow> {
  if (email === undefined) {
    throw new ApiError('forbidden', 'the identity provider has verified no plain e-mail address for this account')
  }
  const known = await personByEmail(tx.query, email)
  if (known && known.verified !== null) throw takenAddress(email)
  if (known) return known
  const person = await createPerson(tx, { email, name: name ?? email, isVerified: true })
  await recordOwnAct(tx, person, 'create account', network)
  return person
}

function takenAddress(email: string): ApiError {
  return new ApiError(
    'forbidden',
    `there is an account with the address ${email}: sign in to it as before, and link it in its security settings`,
  )
}

/** Links an identity to somebody who is signed in and has asked for it. Errors: as `link`. */
export async function linkOwn(people: People, person: PersonRow, identity: Identity, { network }: Whence) {
  const operation = 'link identity'
  try {
    await people.db.transact(async (tx) => {
      await link(tx, person.id, identity)
      await recordOwnAct(tx, person, operation, network)
    })
  } catch (error) {
    if (error instanceof ApiError) recordRefusal(people, person, { operation, network, outcome: error.code })
    throw error
  }
}

/** Links an identity to a person. Errors: `uniqueness_error` when it belongs to somebody. */
async function link(tx: Transaction, personId: number, identity: Identity): Promise<void> {
  const { hostname } = new URL(identity.issuer)
  await addCredential(tx, { personId, kind: 'oidc', subject: subjectOf(identity), data: '', name: hostname })
}

type GroupRoles = ReadonlyMap<ProjectId, GroupRole['role'] | undefined>

/** The roles that groups give from now on, by Project in the order of their ids; undefined for those that end. */
async function rolesByGroup(
  tx: Transaction,
  person: PersonRow,
  { groups }: Identity,
  options: OidcOptions,
): Promise<GroupRoles> {
  // Roles end in Projects that the options name no more, or that have another name now.
  const wanted = new Map<ProjectId, GroupRole['role'] | undefined>(
    (await groupProjects(tx.query, person.id)).map((id) => [id, undefined]),
  )
  for (const name of new Set(options.groups.map(({ project }) => project))) {
    const project = await findProject(tx.query, name)
    const given = options.groups.filter((one) => one.project === name && groups.includes(one.group))
    if (project) wanted.set(project.id, highest(given))
  }
  return new Map([...wanted].sort(([a], [b]) => a - b))
}

interface Applied extends Pick<Entering, 'person' | 'whence'> {
  readonly projectId: ProjectId
  readonly role: GroupRole['role'] | undefined
}

async function applyRole(tx: Transaction, { person, projectId, role, whence: { network } }: Applied): Promise<void> {
  const { before, after } = await setGroupRole(tx, { projectId }, person.id, role)
  const changed = after ?? before
  if (changed === undefined || before === after) return
  const operation = after === undefined ? 'lose role with group' : 'get role by group'
  await recordInProject(tx, person, { projectId, operation, role: changed, network })
}

function highest(given: readonly GroupRole[]): GroupRole['role'] | undefined {
  return given
    .map(({ role }) => role)
    .reduce<GroupRole['role'] | undefined>((best, role) => {
      return best !== undefined && covers(best, role) ? best : role
    }, undefined)
}
