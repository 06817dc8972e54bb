/** One's ways to sign in: listed, renamed, removed, and the password set. */
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import { hashPassword } from '../../kernel/secrets/password-hash.ts'
import {
  addCredential,
  credentialOf,
  credentialsOf,
  removeCredential,
  removeKind,
  renameCredential,
  renewData,
} from '../credentials/credential-store.ts'
import { forgetCodes } from '../credentials/guesses.ts'
import { passkeyDataOf } from '../credentials/passkeys.ts'
import { passwordProblem } from '../credentials/password.ts'
import type { People } from '../people.ts'
import { lockPerson } from '../person-store.ts'
import { dropLinksOf } from '../sessions/link-store.ts'
import { deleteSignInsOf } from '../sessions/session-store.ts'
import type { CredentialKind, CredentialRow } from '../tables.ts'
import { type Account, personOf, renew, sessionIdOf, sessionOf } from './call.ts'
import { giveRecoveryCodes } from './recovery-codes.ts'

export function toWire(row: CredentialRow) {
  const passkey = row.kind === 'passkey' ? passkeyDataOf(row) : undefined
  const { id, name, created, last_used } = row
  const kind = row.kind as Exclude<CredentialKind, 'recovery'>
  return { id, kind, name, created, last_used, host: passkey?.rpId ?? null, is_synced: passkey?.isSynced ?? null }
}

export function credentialHandlers(
  people: People,
): Pick<Account, 'credentials' | 'renameCredential' | 'removeCredential' | 'setPassword' | 'makeRecoveryCodes'> {
  const { db, sessions } = people
  return {
    credentials: async (call) => {
      const rows = await credentialsOf(db.query, call.caller.actor.id)
      return {
        credentials: rows.filter(({ kind }) => kind !== 'recovery').map(toWire),
        recovery_codes_left: rows.filter(({ kind }) => kind === 'recovery').length,
      }
    },
    renameCredential: async ({ caller, params: { id }, body: { name } }) => {
      const row = await db.transact(async (tx) => {
        const isThere = await renameCredential(tx, caller.actor.id, id, name)
        const row = (await credentialsOf(tx.query, caller.actor.id)).find((one) => one.id === id)
        if (!isThere || !row || row.kind === 'recovery') throw notFound('credential', id)
        return row
      })
      return { credential: toWire(row) }
    },
    removeCredential: async ({ caller, params: { id } }) => {
      await db.transact((tx) => removeWay(tx, caller.actor.id, id))
    },
    setPassword: async (call) => {
      const person = await personOf(people, call)
      const { password } = call.body
      const found = passwordProblem(password, [person.email, person.name])
      if (found) throw weakPassword(found)
      const browser = call.browser()
      const data = await people.hashing.run(browser.network, () => hashPassword(password))
      const session = await sessionOf(people, call)
      const cookie = await db.transact(async (tx) => {
        await dropLinksOf(tx, person.id)
        // Whoever tried codes knew the password of before.
        await forgetCodes(tx, person.id)
        await deleteSignInsOf(tx, person.id)
        await lockPerson(tx, person.id)
        const known = await credentialOf(tx.query, person.id, 'password')
        const subject = String(person.id)
        if (known) await renewData(tx, known.id, data)
        else await addCredential(tx, { personId: person.id, kind: 'password', subject, data, name: '' })
        await sessions.revokeAll(tx, person.id, sessionIdOf(call))
        return renew(people, tx, session, browser)
      })
      browser.setCookie(cookie)
    },
    makeRecoveryCodes: async ({ caller }) => ({
      recovery_codes: await db.transact(async (tx) => {
        await lockPerson(tx, caller.actor.id)
        return giveRecoveryCodes(tx, caller.actor.id)
      }),
    }),
  }
}

function weakPassword(found: 'too_short' | 'too_long' | 'too_common'): ApiError {
  const message = {
    too_short: 'must have at least 12 characters',
    too_long: 'must have at most 128 characters',
    too_common: 'is among those that are tried first',
  }[found]
  return new ApiError('weak_password', `the password ${message}`, {
    details: { fields: [{ name: 'password', messages: [message] }], reason: found },
  })
}

/** Removes a way to sign in. Errors: `not_found`, `last_credential`. */
async function removeWay(tx: Transaction, personId: number, id: number): Promise<void> {
  await lockPerson(tx, personId)
  const rows = await credentialsOf(tx.query, personId)
  const row = rows.find((one) => one.id === id && one.kind !== 'recovery')
  if (!row) throw notFound('credential', id)
  const rest = rows.filter((one) => one.id !== id)
  const isWay = ({ kind }: CredentialRow) => kind === 'password' || kind === 'passkey' || kind === 'oidc'
  if (isWay(row) && !rest.some(isWay)) {
    throw new ApiError('last_credential', 'this is the last way to sign in; add another one first')
  }
  await removeCredential(tx, personId, id)
  // Recovery codes stand in for a second factor, and are of no use without one.
  if (!rest.some(({ kind }) => kind === 'totp' || kind === 'passkey')) await removeKind(tx, personId, 'recovery')
}
