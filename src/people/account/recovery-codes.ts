/** Recovery codes: what stands in for a second factor that was lost. */
import type { Transaction } from '../../kernel/data/db.ts'
import { addCredential, credentialOf, removeKind } from '../credentials/credential-store.ts'
import { hashRecoveryCode, newRecoveryCodes } from '../credentials/totp.ts'

/** Replaces all recovery codes. */
export async function giveRecoveryCodes(tx: Transaction, personId: number): Promise<string[]> {
  await removeKind(tx, personId, 'recovery')
  const codes = newRecoveryCodes()
  for (const code of codes) {
    const subject = hashRecoveryCode(personId, code)!
    await addCredential(tx, { personId, kind: 'recovery', subject, data: '', name: '' })
  }
  return codes
}

/** Recovery codes for who has none yet. */
export async function firstRecoveryCodes(tx: Transaction, personId: number): Promise<string[] | null> {
  return (await credentialOf(tx.query, personId, 'recovery')) ? null : giveRecoveryCodes(tx, personId)
}
