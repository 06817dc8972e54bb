/**
 * Signing in: a password, then a second factor if there is one. Accounts that do not exist, that have no password and that
 * are disabled are answered like a wrong password, after the same time.
 */
import type { Transaction } from '../../kernel/data/db.ts'
import { plainAddress } from '../../kernel/mail/address.ts'
import { hashPassword, isOutdated, isPassword } from '../../kernel/secrets/password-hash.ts'
import {
  advanceCounter,
  credentialOf,
  kindsByPerson,
  noteUse,
  renewData,
  spendRecoveryCode,
} from '../credentials/credential-store.ts'
import {
  type Admitted,
  type Attempt,
  Blocked,
  codeOf,
  forgetAttempts,
  judged,
  judgedInLine,
} from '../credentials/guesses.ts'
import { hashSecret, isSecret, randomSecret } from '../credentials/secret-text.ts'
import { hashRecoveryCode, matchingStep } from '../credentials/totp.ts'
import { recordFailedSignIn } from '../events.ts'
import { openFor, type People } from '../people.ts'
import { lockPerson, personByEmail, personById } from '../person-store.ts'
import type { PersonRow, SignInRow } from '../tables.ts'
import { tellOfCodes } from '../told.ts'
import { deleteSignIn, insertSignIn, signInByHash } from './session-store.ts'
import type { Whence } from './sessions.ts'

/** The time allowed for the second factor, in milliseconds. */
const signInMs = 10 * 60_000

export type SignIn =
  | { readonly kind: 'session'; readonly secret: string }
  /** A second factor is needed; `secret` names the half-finished sign-in. */
  | { readonly kind: 'second'; readonly secret: string }
  | { readonly kind: 'wrong'; readonly left: number; readonly until: number }
  | { readonly kind: 'blocked'; readonly until: number }
  /** The half-finished sign-in has ended. */
  | { readonly kind: 'over' }

interface PasswordGiven {
  readonly email: string
  readonly password: string
  readonly whence: Whence
  /** The path to go on to after a second factor. */
  readonly next: string
}

/** Judges a password. Errors: `unavailable` when too many passwords are judged at once; that is no attempt. */
export async function signInWithPassword(people: People, given: PasswordGiven): Promise<SignIn> {
  const account = plainAddress(given.email) ?? given.email
  const attempt: Attempt = { what: 'password', account, network: given.whence.network }
  const result = await judgedInLine(people, attempt, (admitted) =>
    judgePassword(people, { attempt, admitted, ...given }),
  )
  return result instanceof Blocked ? { kind: 'blocked', until: result.until } : result
}

interface PasswordJudged extends PasswordGiven {
  readonly attempt: Attempt
  readonly admitted: Admitted
}

async function judgePassword(people: People, given: PasswordJudged): Promise<SignIn> {
  const { db } = people
  const { attempt, admitted, whence, password } = given
  const person = await personByEmail(db.query, given.email)
  const credential = person && (await credentialOf(db.query, person.id, 'password'))
  const isRight = await isPassword(password, credential?.data)
  if (!isRight || !person || !credential || person.disabled !== null) {
    recordFailedSignIn(people, person, whence.network)
    return wrong(admitted)
  }
  const better = isOutdated(credential.data) ? await hashPassword(password) : undefined
  const result = await db
    .transact(async (tx): Promise<SignIn> => {
      await forgetAttempts(tx, attempt)
      const needsSecond = await hasSecondFactor(tx, person.id)
      const secret = needsSecond ? await beginSecond(tx, person.id, given.next) : undefined
      // Judging takes a while, in which the password may have been changed and all sessions ended.
      await lockPerson(tx, person.id)
      if ((await credentialOf(tx.query, person.id, 'password'))?.data !== credential.data) throw new Wrong()
      if (better) await renewData(tx, credential.id, better)
      await noteUse(tx, credential.id)
      if (secret !== undefined) return { kind: 'second', secret }
      return { kind: 'session', secret: await people.sessions.start(tx, { personId: person.id, whence }) }
    })
    .catch(orWrong)
  return result instanceof Wrong ? wrong(admitted) : result
}

const wrong = ({ left, until }: Admitted): SignIn => ({ kind: 'wrong', left, until })

/** Tells whether a person has to prove more than a password. */
export async function hasSecondFactor(tx: Transaction, personId: number): Promise<boolean> {
  const kinds = (await kindsByPerson(tx.query, [personId])).get(personId)
  return kinds !== undefined && (kinds.has('totp') || kinds.has('passkey'))
}

/** Begins to wait for a second factor; returns the secret of the half-finished sign-in. */
export async function beginSecond(tx: Transaction, personId: number, next: string): Promise<string> {
  const secret = randomSecret()
  await insertSignIn(tx, { hash: hashSecret(secret), person_id: personId, next, expires: tx.now + signInMs })
  return secret
}

/** A half-finished sign-in with its person. */
interface Pending {
  readonly row: SignInRow
  readonly person: PersonRow
}

/** The half-finished sign-in that a secret names. */
export async function pendingSignIn({ db, clock }: People, secret: string | undefined): Promise<Pending | undefined> {
  if (!isSecret(secret)) return undefined
  const row = await signInByHash(db.query, hashSecret(secret), clock.now())
  const person = row && (await personById(db.query, row.person_id))
  return person && person.disabled === null ? { row, person } : undefined
}

interface CodeGiven {
  /** Names the half-finished sign-in. */
  readonly secret: string | undefined
  readonly code: string
  readonly whence: Whence
}

/** Judges the second factor: a one-time code or a recovery code. */
export async function signInWithCode(people: People, given: CodeGiven): Promise<SignIn> {
  const pending = await pendingSignIn(people, given.secret)
  if (!pending) return { kind: 'over' }
  const attempt = codeOf(pending.person.id, given.whence.network, given.code)
  const result = await judged(people, attempt, (admitted) => {
    return judgeCode(people, { ...given, ...pending, attempt, admitted })
  })
  return result instanceof Blocked ? { kind: 'blocked', until: result.until } : result
}

interface CodeJudged extends CodeGiven, Pending {
  readonly attempt: Attempt
  readonly admitted: Admitted
}

async function judgeCode(people: People, given: CodeJudged): Promise<SignIn> {
  const { row, person, attempt, admitted, code, whence } = given
  const secret = await people.db
    .transact(async (tx) => {
      await forgetAttempts(tx, attempt)
      if (!(await deleteSignIn(tx, row.id))) return undefined
      if (!(await isCode(people, tx, person.id, code))) throw new Wrong()
      return people.sessions.start(tx, { personId: person.id, whence })
    })
    .catch(orWrong)
  if (secret === undefined) return { kind: 'over' }
  if (!(secret instanceof Wrong)) return { kind: 'session', secret }
  recordFailedSignIn(people, person, whence.network)
  await tellOfCodes(people, person.id, admitted)
  return wrong(admitted)
}

/** Undoes what would only follow from a proof that is right. */
class Wrong extends Error {}

function orWrong(error: unknown): Wrong {
  if (error instanceof Wrong) return error
  throw error
}

/** Tells whether a one-time code or a recovery code of a person is right, and uses it up. */
export async function isCode(people: People, tx: Transaction, personId: number, code: string): Promise<boolean> {
  if (await isTotp(people, tx, personId, code)) return true
  const hash = hashRecoveryCode(personId, code)
  return hash !== undefined && spendRecoveryCode(tx, personId, hash)
}

/** Tells whether a one-time code of a person is right and was not used before. */
export async function isTotp(people: People, tx: Transaction, personId: number, code: string): Promise<boolean> {
  const credential = await credentialOf(tx.query, personId, 'totp')
  if (!credential) return false
  const secret = openFor(people, personId, 'totp', credential.data)
  const step = matchingStep(secret, code, tx.now, credential.counter)
  return step !== undefined && advanceCounter(tx, credential.id, step)
}
