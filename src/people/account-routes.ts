/** One's own account: profile, ways to sign in, sessions, and proving once more who one is. */
import type { Browser } from '../kernel/contract/browser.ts'
import type { ApiCall, Endpoint, Handlers } from '../kernel/contract/contract.ts'
import type { Transaction } from '../kernel/data/db.ts'
import { ApiError, invalidInput, notFound } from '../kernel/errors.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { accountEndpoints } from './contract.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'
import {
  addCredential,
  credentialOf,
  credentialsOf,
  removeCredential,
  removeKind,
  renameCredential,
  renewData,
} from './credential-store.ts'
import { countAttempt, forgetAttempts } from './guesses.ts'
import { accept } from './invitations.ts'
import { dropLinksOf } from './link-store.ts'
import {
  askForNewPasskey,
  askForPasskey,
  judgeNewPasskey,
  notePasskey,
  passkeyDataOf,
  provenPasskey,
  rpIdAt,
} from './passkeys.ts'
import { hashPassword, isPassword, passwordProblem } from './password.ts'
import { openFor, type People, sealFor } from './people.ts'
import { lockPerson, personById, updatePerson } from './person-store.ts'
import { qrSvg } from './qr.ts'
import { deleteSignInsOf, sessionsOf } from './session-store.ts'
import { elevatedMs } from './sessions.ts'
import { isTotp } from './sign-in.ts'
import type { CredentialKind, CredentialRow, PersonRow, SessionRow } from './tables.ts'
import { hashRecoveryCode, matchingStep, newRecoveryCodes, newTotpSecret, totpUri } from './totp.ts'

type Call = Pick<ApiCall<Endpoint>, 'caller' | 'browser'>
type Account = Handlers<typeof accountEndpoints>

const cookieAge = 30 * 86_400
const ticketMs = 15 * 60_000

/** The person of a call. */
async function personOf({ db }: People, { caller }: Pick<Call, 'caller'>): Promise<PersonRow> {
  const person = await personById(db.query, caller.actor.id)
  if (!person) throw new ApiError('unauthorized', 'sign in first')
  return person
}

const sessionIdOf = ({ caller: { actor } }: Pick<Call, 'caller'>) => (actor.kind === 'person' ? actor.session : 0)

/**
 * The session of a call, as the browser has it. Errors: `unauthorized`, also when the browser has sent two of them and this
 * is not the one that the call was let in with: nobody proves something for the session of somebody else.
 */
async function sessionOf(
  { sessions, installation }: People,
  call: Pick<Call, 'caller' | 'browser'>,
): Promise<SessionRow> {
  const { cookies, origin } = call.browser()
  const found = await sessions.find(readCookie(cookies, cookieName({ origin, installation }, 'session')))
  if (found?.session.id !== sessionIdOf(call)) throw new ApiError('unauthorized', 'sign in first')
  return found.session
}

/** Gives a session another secret, because it or its person has gained rights. Returns the cookie. Errors: `conflict`. */
async function renew(people: People, tx: Transaction, session: SessionRow, browser: Browser, elevatedUntil?: number) {
  const secret = await people.sessions.rekey(tx, session, elevatedUntil)
  if (secret === undefined) throw new ApiError('conflict', 'the session has changed meanwhile; try again')
  return setCookie({ origin: browser.origin, installation: people.installation }, 'session', secret, cookieAge)
}

export function accountHandlers(people: People): Account {
  return {
    ...profileHandlers(people),
    ...credentialHandlers(people),
    ...totpHandlers(people),
    ...passkeyHandlers(people),
    ...sessionHandlers(people),
    ...proofHandlers(people),
  }
}

// ---- Profile -------------------------------------------------------------------------------------------------------

function profileHandlers(people: People): Pick<Account, 'account' | 'updateAccount' | 'acceptInvitation'> {
  const { db, clock, sessions, settings, oidc } = people
  const show = (person: PersonRow, { caller, browser }: Call) => {
    const { id, email, name, language, theme, installation_role, created } = person
    const { elevatedUntil } = caller
    return {
      account: {
        ...{ id, email, name, language, theme, installation_role, created },
        elevated_until: elevatedUntil > clock.now() ? timestamp(Math.min(elevatedUntil, 253_402_300_799_000)) : null,
        can_have_passkeys: rpIdAt(browser().origin, settings) !== undefined,
        identity_provider: oidc ? new URL(oidc.options.issuer).host : null,
      },
    }
  }
  return {
    account: async (call) => show(await personOf(people, call), call),
    updateAccount: async (call) => {
      const { id } = await personOf(people, call)
      const person = await db.transact(async (tx) => {
        tx.afterCommit(() => sessions.forget())
        return updatePerson(tx, id, call.body)
      })
      return show(person!, call)
    },
    acceptInvitation: async (call) => {
      const { invitation } = await accept(people, call.body.code, await personOf(people, call))
      return { project_id: invitation.project_id, role: invitation.role }
    },
  }
}

// ---- Ways to sign in -----------------------------------------------------------------------------------------------

function toWire(row: CredentialRow) {
  const passkey = row.kind === 'passkey' ? passkeyDataOf(row) : undefined
  const { id, name, created, last_used } = row
  const kind = row.kind as Exclude<CredentialKind, 'recovery'>
  return { id, kind, name, created, last_used, host: passkey?.rpId ?? null, is_synced: passkey?.isSynced ?? null }
}

function credentialHandlers(
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
      const data = await hashPassword(password)
      const browser = call.browser()
      const session = await sessionOf(people, call)
      const cookie = await db.transact(async (tx) => {
        await dropLinksOf(tx, person.id)
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

/** Replaces all recovery codes. */
async function giveRecoveryCodes(tx: Transaction, personId: number): Promise<string[]> {
  await removeKind(tx, personId, 'recovery')
  const codes = newRecoveryCodes()
  for (const code of codes) {
    const subject = hashRecoveryCode(personId, code)!
    await addCredential(tx, { personId, kind: 'recovery', subject, data: '', name: '' })
  }
  return codes
}

/** Recovery codes for who has none yet. */
async function firstRecoveryCodes(tx: Transaction, personId: number): Promise<string[] | null> {
  return (await credentialOf(tx.query, personId, 'recovery')) ? null : giveRecoveryCodes(tx, personId)
}

// ---- One-time codes ------------------------------------------------------------------------------------------------

function totpHandlers(people: People): Pick<Account, 'beginTotp' | 'confirmTotp'> {
  const { db, clock } = people
  return {
    beginTotp: async (call) => {
      const person = await personOf(people, call)
      const secret = newTotpSecret()
      const uri = totpUri(secret, person.email, 'Wolke')
      const ticket = sealFor(people, person.id, 'ticket', `${clock.now() + ticketMs} ${secret}`)
      return { totp: { secret, uri, qr_svg: qrSvg(uri, 'Wolke'), ticket } }
    },
    confirmTotp: async (call) => {
      const person = await personOf(people, call)
      const { ticket, code } = call.body
      const secret = secretOf(people, person.id, ticket)
      const browser = call.browser()
      const session = await sessionOf(people, call)
      const { codes, cookie } = await db.transact(async (tx) => {
        const step = matchingStep(secret, code, tx.now, 0)
        if (step === undefined) throw wrongProof('the code is not right; look whether the clock of the device is')
        await lockPerson(tx, person.id)
        await removeKind(tx, person.id, 'totp')
        const data = sealFor(people, person.id, 'totp', secret)
        const about = { personId: person.id, subject: String(person.id), data, counter: step, name: '' }
        await addCredential(tx, { ...about, kind: 'totp' })
        const codes = await firstRecoveryCodes(tx, person.id)
        return { codes, cookie: await renew(people, tx, session, browser) }
      })
      browser.setCookie(cookie)
      return { recovery_codes: codes }
    },
  }
}

/** The secret in a ticket of `beginTotp`. Errors: `invalid_input`. */
function secretOf(people: People, personId: number, ticket: string): string {
  try {
    const [until, secret] = openFor(people, personId, 'ticket', ticket).split(' ')
    if (Number(until) > people.clock.now()) return secret!
  } catch {
    // Changed, or made for somebody else.
  }
  throw invalidInput([{ field: 'ticket', message: 'does not count any more; begin again' }])
}

// ---- Passkeys ------------------------------------------------------------------------------------------------------

/** Errors: `unsupported_error` where browsers offer no passkeys. */
function rpIdFor({ settings }: People, browser: Browser): string {
  const rpId = rpIdAt(browser.origin, settings)
  if (rpId !== undefined) return rpId
  throw new ApiError('unsupported_error', 'passkeys need HTTPS or localhost, and the host of --public-url if it is set')
}

function passkeyHandlers(people: People): Pick<Account, 'askForPasskey' | 'addPasskey'> {
  const { db } = people
  return {
    askForPasskey: async (call) => {
      const browser = call.browser()
      const { options, secret } = await askForNewPasskey(people, await personOf(people, call), rpIdFor(people, browser))
      sendCeremony(people, browser, secret)
      return { options: { ...options } }
    },
    addPasskey: async (call) => {
      const browser = call.browser()
      const personId = call.caller.actor.id
      const given = { secret: ceremonyOf(people, browser), origin: browser.origin, response: call.body.response }
      const session = await sessionOf(people, call)
      const passkey = await judgeNewPasskey(people, personId, given)
      const { row, codes, cookie } = await db.transact(async (tx) => {
        await lockPerson(tx, personId)
        const row = await addCredential(tx, { ...passkey, personId, kind: 'passkey', name: call.body.name })
        const codes = await firstRecoveryCodes(tx, personId)
        return { row, codes, cookie: await renew(people, tx, session, browser) }
      })
      browser.setCookie(cookie)
      return { credential: toWire(row), recovery_codes: codes }
    },
  }
}

function sendCeremony(people: People, browser: Browser, secret: string): void {
  browser.setCookie(setCookie({ origin: browser.origin, installation: people.installation }, 'ceremony', secret))
}

function ceremonyOf({ installation }: People, { cookies, origin }: Browser): string | undefined {
  return readCookie(cookies, cookieName({ origin, installation }, 'ceremony'))
}

// ---- Sessions ------------------------------------------------------------------------------------------------------

function sessionHandlers(people: People): Pick<Account, 'sessions' | 'endSession' | 'endOtherSessions'> {
  const { db, clock, sessions } = people
  return {
    sessions: async (call) => {
      const rows = await sessionsOf(db.query, call.caller.actor.id, clock.now())
      return {
        sessions: rows.map(({ id, created, last_seen, ends, network, agent }) => ({
          ...{ id, created, network, agent },
          last_seen: timestamp(last_seen),
          ends: timestamp(ends),
          is_current: id === sessionIdOf(call),
        })),
      }
    },
    endSession: async ({ caller, params: { id } }) => {
      await db.transact(async (tx) => {
        if (!(await sessions.revoke(tx, caller.actor.id, id))) throw notFound('session', id)
      })
    },
    endOtherSessions: async (call) => {
      await db.transact((tx) => sessions.revokeAll(tx, call.caller.actor.id, sessionIdOf(call)))
    },
  }
}

// ---- Proving once more ---------------------------------------------------------------------------------------------

const wrongProof = (message: string) => new ApiError('wrong_credentials', message, { status: 403 })

function proofHandlers(people: People): Pick<Account, 'askForProof' | 'elevate'> {
  const { db } = people
  return {
    askForProof: async (call) => {
      const browser = call.browser()
      const personId = call.caller.actor.id
      const { options, secret } = await askForPasskey(people, 'passkey-prove', rpIdFor(people, browser), personId)
      sendCeremony(people, browser, secret)
      return { options: { ...options } }
    },
    elevate: async (call) => {
      const browser = call.browser()
      const personId = call.caller.actor.id
      const attempt = { what: 'proof', account: String(personId), network: browser.network }
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
  const given = { secret: ceremonyOf(people, browser), origin: browser.origin, response }
  const proven = await provenPasskey(people, 'passkey-prove', given)
  return async (tx) => proven !== undefined && proven.credential.person_id === personId && notePasskey(tx, proven)
}
