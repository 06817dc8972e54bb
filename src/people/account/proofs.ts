/** Proving once more who one is, for what a session alone does not allow. */
import type { Browser } from '../../kernel/contract/browser.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { credentialOf } from '../credential-store.ts'
import { type Attempt, codeOf, countAttempt, forgetAttempts } from '../guesses.ts'
import { askForPasskey, notePasskey, provenPasskey } from '../passkeys.ts'
import { isPassword } from '../password.ts'
import type { People } from '../people.ts'
import { lockPerson } from '../person-store.ts'
import { elevatedMs } from '../sessions.ts'
import { isTotp } from '../sign-in.ts'
import { type Account, renew, sessionOf, wrongProof } from './call.ts'
import { answeredIn, askedIn } from './passkeys.ts'

export function proofHandlers(people: People): Pick<Account, 'askForProof' | 'elevate'> {
  const { db } = people
  return {
    askForProof: async (call) => {
      const browser = call.browser()
      const personId = call.caller.actor.id
      const options = await askForPasskey(people, 'passkey-prove', askedIn(people, browser), personId)
      return { options: { ...options } }
    },
    elevate: async (call) => {
      const browser = call.browser()
      const personId = call.caller.actor.id
      const attempt = attemptOf(personId, call.body, browser)
      const verdict = await countAttempt(db, attempt)
      if (!verdict.admitted) throw wrongProof(`too many tries; the next one counts after ${timestamp(verdict.until)}`)
      const session = await sessionOf(people, call)
      const prove = await proofIn(people, personId, call.body, browser)
      const { cookie, until } = await db.transact(async (tx) => {
        await forgetAttempts(tx, attempt)
        await lockPerson(tx, personId)
        if (!(await prove(tx))) throw wrongProof('this does not prove who you are')
        const until = tx.now + elevatedMs
        return { until, cookie: await renew(people, tx, session, browser, until) }
      })
      browser.setCookie(cookie)
      return { elevated_until: timestamp(until) }
    },
  }
}

interface Proof {
  readonly password?: string
  readonly code?: string
  readonly response?: unknown
}

/** What counts against guessing: a code with those of the second step, since it is as short here as there. */
function attemptOf(personId: number, { code }: Proof, { network }: Browser): Attempt {
  return code === undefined ? { what: 'proof', account: String(personId), network } : codeOf(personId, network)
}

/** Judges a proof; what it returns uses it up. Errors: `invalid_input` unless there is exactly one. */
async function proofIn(
  people: People,
  personId: number,
  proof: Proof,
  browser: Browser,
): Promise<(tx: Transaction) => Promise<boolean>> {
  const { password, code, response } = proof
  if (Object.keys(proof).length !== 1) {
    throw invalidInput([{ field: 'password', message: 'send exactly one of password, code and response' }])
  }
  if (password !== undefined) {
    const credential = await credentialOf(people.db.query, personId, 'password')
    const isRight = await isPassword(password, credential?.data)
    return async () => isRight
  }
  if (code !== undefined) return (tx) => isTotp(people, tx, personId, code)
  const proven = await provenPasskey(people, 'passkey-prove', answeredIn(people, browser, response))
  return async (tx) => proven !== undefined && proven.credential.person_id === personId && notePasskey(tx, proven)
}
