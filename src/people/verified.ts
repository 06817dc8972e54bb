/**
 * A verified address is known to be its person's. Without a mail server nobody knows that of somebody who has accepted
 * an invitation: whoever had the link chose the ways to sign in, and could wait for the person whose address it is. A
 * person who first shows that it is theirs, by the identity provider or by a link of an operator or by mail, therefore
 * shares the account with nobody.
 */
import type { Transaction } from '../kernel/data/db.ts'
import { removeCredentialsBut } from './credentials/credential-store.ts'
import { recordOwnAct } from './events.ts'
import { lockPerson, noteVerified, type PersonChange } from './person-store.ts'
import { dropLinksOf } from './sessions/link-store.ts'
import { deleteSignInsOf } from './sessions/session-store.ts'
import type { PersonRow } from './tables.ts'

interface Shown {
  readonly network: string
  /** The credential that shows it, which stays. */
  readonly keptId?: number | undefined
  /** Other changes to the person. */
  readonly change?: Pick<PersonChange, 'installation_role'>
}

/**
 * Notes that the address of a person who was not verified is theirs, and ends everything else that signs in to the account.
 * The caller ends the sessions, after it has added what signs in from now on. False when somebody was faster.
 */
export async function verifyAddress(
  tx: Transaction,
  person: PersonRow,
  { network, keptId = 0, change = {} }: Shown,
): Promise<boolean> {
  const { id } = person
  await dropLinksOf(tx, id)
  await deleteSignInsOf(tx, id)
  await lockPerson(tx, id)
  if (!(await noteVerified(tx, id, change))) return false
  await removeCredentialsBut(tx, id, keptId)
  await recordOwnAct(tx, person, 'verify address', network)
  return true
}
