/** What people do that is no request of the API, for the audit log: sign-ins, refused ones, and roles in Projects. */
import type { Role } from '../kernel/access/roles.ts'
import { principalOfToken } from '../kernel/access/tokens.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import type { AuditActor } from '../kernel/audit/note.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
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
  const person = personId === undefined ? undefined : await personById(tx.query, personId)
  if (person) return recordEvent(tx, { actor: actorOf(person), operation, family, subjects: [person.id], network })
  const token = tokenId === undefined ? undefined : await principalOfToken(tx.query, tokenId, tx.now)
  if (!token?.scope) return
  await recordEvent(tx, { actor: token.actor, projectId: token.scope.projectId, operation, family, network })
}

/** Records what a person did to the own account outside of the API: `link identity`, `set password by link`, `set up`. */
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
  /** Who did it, if it was not the person. */
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

/**
 * Records a sign-in of a known person that failed. Nobody waits for it, so that known and unknown accounts are answered
 * after the same time; the limit of attempts bounds how many there are.
 */
export function recordFailedSignIn(
  { db, log }: { readonly db: Database; readonly log: Logger },
  person: PersonRow | undefined,
  network: string,
): void {
  if (!person) return
  const outcome = 'wrong_credentials'
  const subjects = [person.id]
  const from = network.replace(/^network:/, '')
  const event = { actor: actorOf(person), operation: 'sign in', family, subjects, outcome, network: from }
  db.transact((tx) => recordEvent(tx, event), { isDurable: false }).catch((err: unknown) => {
    log.warn({ err }, 'a failed sign-in is missing in the audit log')
  })
}
