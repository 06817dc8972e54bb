/** Accounts with the first way to sign in to them: a password, or a passkey. */
import type { Transaction } from '../kernel/data/db.ts'
import { addCredential } from './credentials/credential-store.ts'
import type { NewPasskey } from './credentials/passkeys.ts'
import { createPerson, type NewPerson } from './person-store.ts'
import type { PersonRow } from './tables.ts'

/** The hash of a password, or a passkey that was made for an account with this id. */
export type FirstWay =
  | { readonly passwordHash: string }
  | { readonly passkey: NewPasskey; readonly personId: number; readonly passkeyName: string }

/** Creates a person who can sign in. Errors: `uniqueness_error` when the address is taken. */
export async function createAccount(tx: Transaction, given: NewPerson, way: FirstWay): Promise<PersonRow> {
  if ('passwordHash' in way) {
    const person = await createPerson(tx, given)
    const about = { personId: person.id, subject: String(person.id), data: way.passwordHash, name: '' }
    await addCredential(tx, { ...about, kind: 'password' })
    return person
  }
  const person = await createPerson(tx, { ...given, id: way.personId })
  await addCredential(tx, { ...way.passkey, personId: person.id, kind: 'passkey', name: way.passkeyName })
  return person
}
