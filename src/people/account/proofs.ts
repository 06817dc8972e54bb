/** Proving once more who one is, for what a session alone does not allow. */
import type { Browser } from '../../kernel/contract/browser.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { isPassword } from '../../kernel/secrets/password-hash.ts'
import { credentialOf } from '../credentials/credential-store.ts'
import {
  type Admitted,
  type Attempt,
  Blocked,
  codeOf,
  forgetAttempts,
  judged,
  judgedInLine,
} from '../credentials/guesses.ts'
import { askForPasskey, notePasskey, provenPasskey } from '../credentials/passkeys.ts'
import type { People } from '../people.ts'
import { lockPerson } from '../person-store.ts'
import { elevatedMs } from '../sessions/sessions.ts'
import { isTotp } from '../sessions/sign-in.ts'
import { tellOfCodes } from '../told.ts'
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
      checkProof(call.body)
      const session = await sessionOf(people, call)
      const attempt = attemptOf(personId, call.body, browser)
      const judge = async (admitted: Admitted) => {
        const prove = await proofIn(people, personId, call.body, browser)
        return db
          .transact(async (tx) => {
            await forgetAttempts(tx, attempt)
            await lockPerson(tx, personId)
            if (!(await prove(tx))) throw wrongProof('this does not prove who you are')
            const until = tx.now + elevatedMs
            return { until, cookie: await renew(people, tx, session, browser, until) }
          })
          .catch(async (error: unknown) => {
            if (error instanceof ApiError && error.code === 'wrong_credentials') {
              await tellOfCodes(people, personId, admitted)
            }
            throw error
          })
      }
      const isHashed = call.body.password !== undefined
      const proven = await (isHashed ? judgedInLine : judged)(people, attempt, judge)
      if (proven instanceof Blocked) {
        throw wrongProof(`too many tries; the next one counts after ${timestamp(proven.until)}`)
      }
      browser.setCookie(proven.cookie)
      return { elevated_until: timestamp(proven.until) }
    },
  }
}

interface Proof {
  readonly password?: string
  readonly code?: string
  readonly response?: unknown
}

/**
 * Returns the attempt to count against guessing. A code counts with those of the second step, as it is as short here.
 */
function attemptOf(personId: number, { code }: Proof, { network }: Browser): Attempt {
  return code === undefined ? { what: 'proof', account: String(personId), network } : codeOf(personId, network, code)
}

/** Errors: `invalid_input` unless there is exactly one proof. */
function checkProof(proof: Proof): void {
  if (Object.keys(proof).length === 1) return
  throw invalidInput([{ field: 'password', message: 'send exactly one of password, code and response' }])
}

/** Judges a proof; what it returns uses it up. */
async function proofIn(
  people: People,
  personId: number,
  proof: Proof,
  browser: Browser,
): Promise<(tx: Transaction) => Promise<boolean>> {
  const { password, code, response } = proof
  if (password !== undefined) {
    const credential = await credentialOf(people.db.query, personId, 'password')
    const isRight = await isPassword(password, credential?.data)
    return async () => isRight
  }
  if (code !== undefined) return (tx) => isTotp(people, tx, personId, code)
  const proven = await provenPasskey(people, 'passkey-prove', answeredIn(people, browser, response))
  return async (tx) => proven !== undefined && proven.credential.person_id === personId && notePasskey(tx, proven)
}
