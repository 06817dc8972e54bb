/** The audit log also records what is no request of the API: sign-ins, refused ones, and roles in Projects. */
import type { Identity } from '../kernel/access/principal.ts'
import type { Role } from '../kernel/access/roles.ts'
import { principalOfToken } from '../kernel/access/tokens.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import type { AuditActor } from '../kernel/audit/note.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
import { channels } from '../kernel/process/channels.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { ProjectId } from '../kernel/scope.ts'
import { personById } from './person-store.ts'
import type { PersonRow } from './tables.ts'

const family = 'people'

/** A network as entries name it. */
const plain = (network: string) => network.replace(/^network:/, '')

const actorOf = ({ id, email }: Pick<PersonRow, 'id' | 'email'>): AuditActor => ({ kind: 'person', id, name: email })

/** Records that a session began, in its transaction: that of a person or of an API token. */
export async function recordSignIn(
  tx: Transaction,
  { personId, tokenId, network }: { personId?: number; tokenId?: number; network: string },
): Promise<void> {
  const operation = 'sign in'
  if (channels.signIn.hasSubscribers) tx.afterCommit(() => channels.signIn.publish({ outcome: 'success' }))
  const person = personId === undefined ? undefined : await personById(tx.query, personId)
  if (person) return recordEvent(tx, { actor: actorOf(person), operation, family, subjects: [person.id], network })
  const token = tokenId === undefined ? undefined : await principalOfToken(tx.query, tokenId, tx.now)
  if (!token?.scope) return
  await recordEvent(tx, { actor: token.actor, projectId: token.scope.projectId, operation, family, network })
}

/** Records what a person did to the own account outside of the API, such as `link identity`, `create account` or `set up`. */
export function recordOwnAct(tx: Transaction, person: PersonRow, operation: string, network: string): Promise<void> {
  const about = { family, subjects: [person.id], network: plain(network) }
  return recordEvent(tx, { actor: actorOf(person), operation, ...about })
}

interface InProject {
  readonly projectId: ProjectId
  readonly operation: string
  /** The role that the person has afterwards, or had. */
  readonly role: Role
  readonly network: string
  /** The author of the act, if it was not the person. */
  readonly actor?: AuditActor
}

/** Records, in the log of a Project, how a person came to a role in it or lost one. */
export function recordInProject(
  tx: Transaction,
  person: Pick<PersonRow, 'id' | 'email'>,
  { projectId, operation, role, network, actor = actorOf(person) }: InProject,
): Promise<void> {
  const about = { family, subjects: [person.id, role], network: plain(network) }
  return recordEvent(tx, { actor, projectId, operation, ...about })
}

/** Records that a session was ended by who had it: a person, or who came with an API token. */
export function recordSignOut(tx: Transaction, { actor, roles }: Identity, network: string): Promise<void> {
  const [projectId] = actor.kind === 'token' ? roles.keys() : []
  const about = { family, subjects: actor.kind === 'person' ? [actor.id] : [], network: plain(network) }
  return recordEvent(tx, { actor, ...(projectId === undefined ? {} : { projectId }), operation: 'sign out', ...about })
}

interface Refused {
  readonly operation: string
  readonly network: string
  /** The code of the refusal. */
  readonly outcome: string
}

type Recording = { readonly db: Database; readonly log: Logger }

/**
 * Records what a known person was refused outside of the API. Nobody waits for it, so that known and unknown accounts are
 * answered after the same time; the limit of attempts bounds how many there are.
 */
export function recordRefusal(
  { db, log }: Recording,
  person: PersonRow | undefined,
  { operation, network, outcome }: Refused,
): void {
  if (!person) return
  const subjects = [person.id]
  const event = { actor: actorOf(person), operation, family, subjects, outcome, network: plain(network) }
  db.transact((tx) => recordEvent(tx, event), { isDurable: false }).catch((err: unknown) => {
    log.warn({ err, operation }, 'a refusal is missing in the audit log')
  })
}

/** Records a sign-in of a known person that failed. */
export function recordFailedSignIn(
  recording: Recording,
  person: PersonRow | undefined,
  network: string,
  outcome = 'wrong_credentials',
): void {
  if (channels.signIn.hasSubscribers) channels.signIn.publish({ outcome: 'failure' })
  recordRefusal(recording, person, { operation: 'sign in', network, outcome })
}
