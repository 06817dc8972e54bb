/** What people do that is no request of the API, for the audit log: sign-ins, failed ones, and joining a Project. */
import { principalOfToken } from '../kernel/access/tokens.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import type { AuditActor } from '../kernel/audit/note.ts'
import type { Database, Transaction } from '../kernel/data/db.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { ProjectId } from '../kernel/scope.ts'
import { personById } from './person-store.ts'
import type { PersonRow } from './tables.ts'

const family = 'people'

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
  const about = { family, subjects: [person.id], network: network.replace(/^network:/, '') }
  return recordEvent(tx, { actor: actorOf(person), operation, ...about })
}

/** Records that somebody became a member of a Project by an invitation. */
export function recordJoining(tx: Transaction, person: PersonRow, projectId: ProjectId): Promise<void> {
  const actor = actorOf(person)
  return recordEvent(tx, { actor, projectId, operation: 'accept invitation', family, subjects: [person.id] })
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
