/**
 * The first administrator. While nobody administers the installation each start makes a link for whoever can read its
 * output; the first one who uses it becomes the administrator and the owner of Project `default`.
 */
import { defaultProject, lockOwner } from '../kernel/access/projects.ts'
import type { AuditActor } from '../kernel/audit/note.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
import { ApiError } from '../kernel/errors.ts'
import { recordInProject, recordOwnAct } from './events.ts'
import { hasOwner, raiseMember } from './memberships/membership-store.ts'
import { createAccount, type FirstWay } from './new-account.ts'
import type { People } from './people.ts'
import { createPerson, hasAdmin, lockSetup, personByEmail } from './person-store.ts'
import { dropLinks, findLink, makeLink, spendLink } from './sessions/link-store.ts'
import type { Whence } from './sessions/sessions.ts'
import type { PersonRow } from './tables.ts'

const setupMs = 24 * 3_600_000
const testerEmail = 'tester@localhost'

/** Makes the link of this start; undefined when somebody administers the installation already. */
export async function makeSetupLink(db: Database): Promise<string | undefined> {
  return db.transact(async (tx) => {
    await lockSetup(tx)
    if (await hasAdmin(tx.query)) return undefined
    return makeLink(tx, { kind: 'setup', personId: null, forMs: setupMs })
  })
}

/** Makes the link that signs a tester in without an account. Only for data that ends with the process. */
export async function makeTesterLink(db: Database): Promise<string> {
  return db.transact((tx) => makeLink(tx, { kind: 'tester', personId: null, forMs: 30 * 86_400_000 }))
}

export interface FirstAdmin {
  readonly email: string
  readonly name: string
  readonly way: FirstWay
}

/** The refusal of a link that never was, is over, or was used. */
export function deadLink(): ApiError {
  return new ApiError('forbidden', 'this link does not count any more: it was used, has expired, or never existed')
}

/**
 * Tells whether the first administrator can be made with this secret: never where only the identity provider lets in.
 */
export async function isSetupLink({ db, clock, settings }: People, secret: string | undefined): Promise<boolean> {
  if (settings.isOidcOnly) return false
  return (await findLink(db.query, 'setup', secret, clock.now())) !== undefined
}

/**
 * Makes the first administrator and starts a session, whose secret it returns. Errors: `forbidden` when the link does not
 * count or somebody was faster.
 */
export async function setUp(
  { db, sessions, settings }: People,
  secret: string | undefined,
  { email, name, way }: FirstAdmin,
  whence: Whence,
): Promise<string> {
  return db.transact(async (tx) => {
    await lockSetup(tx)
    const link = await findLink(tx.query, 'setup', secret, tx.now)
    if (settings.isOidcOnly || !link || (await hasAdmin(tx.query)) || !(await spendLink(tx, link))) throw deadLink()
    await dropLinks(tx, 'setup')
    const person = await createAccount(tx, { email, name, installationRole: 'admin', isVerified: true }, way)
    const session = await sessions.start(tx, { personId: person.id, whence })
    await recordOwnAct(tx, person, 'set up', whence.network)
    await ownDefault(tx, person, whence)
    return session
  })
}

/** Signs a tester in, as an administrator without credentials whose session counts as freshly proven until it ends. */
export async function enterAsTester(
  { db, sessions }: People,
  secret: string | undefined,
  whence: Whence,
): Promise<string> {
  return db.transact(async (tx) => {
    await lockSetup(tx)
    const link = await findLink(tx.query, 'tester', secret, tx.now)
    if (!link || !(await spendLink(tx, link))) throw deadLink()
    const person = (await personByEmail(tx.query, testerEmail)) ?? (await createTester(tx, whence))
    const session = await sessions.start(tx, { personId: person.id, whence, elevatedUntil: Number.MAX_SAFE_INTEGER })
    await ownDefault(tx, person, whence)
    return session
  })
}

async function createTester(tx: Transaction, { network }: Whence): Promise<PersonRow> {
  const about = { email: testerEmail, name: 'Tester', installationRole: 'admin', isVerified: true } as const
  const person = await createPerson(tx, about)
  await recordOwnAct(tx, person, 'create account', network)
  return person
}

/** The actor that makes somebody the owner: a browser in a network, or somebody on the host. */
interface OwnedBy {
  readonly network: string
  readonly actor?: AuditActor
}

/** Makes a person the owner of Project `default`, unless it has one. */
export async function ownDefault(tx: Transaction, person: PersonRow, by: OwnedBy): Promise<void> {
  const projectId = (await defaultProject(tx.query))?.id
  // It may be deleted meanwhile.
  if (projectId === undefined || !(await lockOwner(tx, { projectId }))) return
  if (await hasOwner(tx.query, { projectId })) return
  const role = await raiseMember(tx, { projectId }, person.id, 'owner')
  if (role !== 'owner') return
  const { network, actor } = by
  const about = { projectId, operation: 'become owner', role, network } as const
  await recordInProject(tx, person, actor ? { ...about, actor } : about)
}
