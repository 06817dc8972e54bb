/**
 * Passkeys (WebAuthn). A challenge is stored for one answer of the browser that asked for it, and found by the answer, so
 * that tabs do not take each other's. The library is loaded on first use. Passkeys belong to a host: that of the public URL, or the one that the request went to.
 */
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { drawId, type Transaction } from '../../kernel/data/db.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { onOwnBehalf } from '../../kernel/process/behalf.ts'
import type { People, PeopleSettings } from '../people.ts'
import { canHavePasskeys } from '../sessions/cookies.ts'
import { startCeremony, takeCeremony } from '../sessions/link-store.ts'
import type { CeremonyKind, CeremonyRow, CredentialRow, PersonRow } from '../tables.ts'
import { advanceCounter, credentialBySubject, credentialsOf, noteUse } from './credential-store.ts'

const ceremonyMs = 5 * 60_000
/** ES256, EdDSA and RS256, which all authenticators know one of. */
const supportedAlgorithmIDs = [-7, -8, -257]

/** A public key with what browsers want to know about it. */
interface PasskeyData {
  readonly publicKey: string
  readonly transports: readonly AuthenticatorTransport[]
  readonly rpId: string
  readonly isSynced: boolean
}

export function passkeyDataOf({ data }: Pick<CredentialRow, 'data'>): PasskeyData {
  return JSON.parse(data) as PasskeyData
}

/** The host that passkeys belong to; undefined where browsers do not offer any. */
export function rpIdAt(origin: string, { publicOrigins }: PeopleSettings): string | undefined {
  if (!canHavePasskeys(origin)) return undefined
  return publicOrigins.length === 0 || publicOrigins.includes(origin) ? new URL(origin).hostname : undefined
}

interface Challenge {
  readonly challenge: string
  readonly rpId: string
}

/** The person who is to get an account whose first way to sign in is a passkey. */
export interface Newcomer {
  /** Drawn for the account, because passkeys carry the id of theirs. */
  readonly id: number
  readonly email: string
  readonly name: string
}

/** The secret of the browser that is asked, and the host that the passkey belongs to. */
export interface Asked {
  readonly browser: string
  readonly rpId: string
}

async function remember(
  { db, clock }: People,
  kind: CeremonyKind,
  { browser, ...data }: Asked & { readonly challenge: string; readonly newcomer?: Newcomer },
  personId: number | null = null,
): Promise<void> {
  const row = { kind, person_id: personId, data: JSON.stringify(data), expires: clock.now() + ceremonyMs }
  await db.transact((tx) => startCeremony(tx, { browser, challenge: data.challenge }, row))
}

/** Asks a browser for a new passkey. */
export async function askForNewPasskey(
  people: People,
  person: PersonRow,
  asked: Asked,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = (await credentialsOf(people.db.query, person.id)).filter(({ kind }) => kind === 'passkey')
  const options = await optionsFor(person, asked.rpId, known)
  await remember(people, 'passkey-add', { ...asked, challenge: options.challenge }, person.id)
  return options
}

/** Asks a browser for the passkey of somebody who has no account yet. */
export async function askForFirstPasskey(
  people: People,
  given: Omit<Newcomer, 'id'>,
  asked: Asked,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const newcomer: Newcomer = { ...given, id: await people.db.transact(drawId, { isDurable: false }) }
  const options = await optionsFor(newcomer, asked.rpId, [])
  await remember(people, 'passkey-first', { ...asked, challenge: options.challenge, newcomer })
  return options
}

async function optionsFor({ id, email, name }: Newcomer, rpId: string, known: readonly CredentialRow[]) {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  return generateRegistrationOptions({
    rpName: 'Wolke',
    rpID: rpId,
    userID: new Uint8Array(Buffer.from(String(id))),
    userName: email,
    userDisplayName: name,
    attestationType: 'none',
    supportedAlgorithmIDs,
    excludeCredentials: known.map(({ subject }) => ({ id: subject })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

export interface NewPasskey {
  readonly subject: string
  readonly data: string
  readonly counter: number
}

/** The answer of a browser, with the secret that it keeps. */
export interface Answered {
  readonly browser: string | undefined
  readonly origin: string
  readonly response: unknown
}

/**
 * Takes the challenge of an answer, whatever becomes of what it was for; this alone is no change that the audit log tells
 * of.
 */
function taken({ db }: People, kind: CeremonyKind, { browser, response }: Answered): Promise<CeremonyRow | undefined> {
  return onOwnBehalf(() => db.transact((tx) => takeCeremony(tx, [kind], { browser, challenge: challengeIn(response) })))
}

/** The challenge that an answer says it is for; undefined when it says none. Its signature is judged later. */
function challengeIn(answer: unknown): string | undefined {
  const { response } = (answer ?? {}) as { readonly response?: { readonly clientDataJSON?: unknown } | null }
  const text = response?.clientDataJSON
  if (typeof text !== 'string') return undefined
  try {
    const { challenge } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}

/** Judges a browser's new passkey. Errors: `invalid_input`. */
export async function judgeNewPasskey(people: People, personId: number, given: Answered): Promise<NewPasskey> {
  const ceremony = await taken(people, 'passkey-add', given)
  if (!ceremony || ceremony.person_id !== personId) throw notAsked()
  return judge(JSON.parse(ceremony.data) as Challenge, given)
}

/** Judges the passkey of somebody who has no account yet. Errors: `invalid_input`. */
export async function judgeFirstPasskey(
  people: People,
  given: Answered,
): Promise<{ readonly newcomer: Newcomer; readonly passkey: NewPasskey }> {
  const ceremony = await taken(people, 'passkey-first', given)
  if (!ceremony) throw notAsked()
  const { newcomer, ...challenge } = JSON.parse(ceremony.data) as Challenge & { readonly newcomer: Newcomer }
  return { newcomer, passkey: await judge(challenge, given) }
}

async function judge({ challenge, rpId }: Challenge, given: Answered): Promise<NewPasskey> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { registrationInfo } = await verifyRegistrationResponse({
    response: given.response as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: given.origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs,
  }).catch((error: Error) => {
    throw refused(error.message)
  })
  if (!registrationInfo) throw refused('its signature is not right')
  const { credential, credentialBackedUp } = registrationInfo
  const data: PasskeyData = {
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    transports: (credential.transports ?? []) as AuthenticatorTransport[],
    rpId,
    isSynced: credentialBackedUp,
  }
  return { subject: credential.id, data: JSON.stringify(data), counter: credential.counter }
}

const notAsked = () => refused('the browser was not asked, or asked too long ago')
const refused = (reason: string) => invalidInput([{ field: 'response', message: `is no valid passkey: ${reason}` }])

/** Asks a browser for a passkey: any that it has, or one of a person. */
export async function askForPasskey(
  people: People,
  kind: 'passkey-sign-in' | 'passkey-prove',
  asked: Asked,
  personId?: number,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { rpId } = asked
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const all = personId === undefined ? [] : await credentialsOf(people.db.query, personId)
  const known = all.filter((row) => row.kind === 'passkey' && passkeyDataOf(row).rpId === rpId)
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    userVerification: 'required',
    allowCredentials: known.map((row) => ({ id: row.subject, transports: [...passkeyDataOf(row).transports] })),
  })
  await remember(people, kind, { ...asked, challenge: options.challenge }, personId)
  return options
}

/** The credential that a browser has proven; undefined when it has not. The challenge is used up either way. */
export async function provenPasskey(
  people: People,
  kind: 'passkey-sign-in' | 'passkey-prove',
  given: Answered,
): Promise<{ readonly credential: CredentialRow; readonly counter: number } | undefined> {
  const ceremony = await taken(people, kind, given)
  if (!ceremony || !isAnswer(given.response)) return undefined
  const credential = await credentialBySubject(people.db.query, 'passkey', given.response.id)
  if (!credential || (ceremony.person_id !== null && ceremony.person_id !== credential.person_id)) return undefined
  const { challenge, rpId } = JSON.parse(ceremony.data) as Challenge
  const { publicKey, transports } = passkeyDataOf(credential)
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verdict = await verifyAuthenticationResponse({
    response: given.response,
    expectedChallenge: challenge,
    expectedOrigin: given.origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: credential.subject,
      publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
      counter: credential.counter,
      transports: [...transports],
    },
  }).catch(() => undefined)
  return verdict?.verified ? { credential, counter: verdict.authenticationInfo.newCounter } : undefined
}

/** Notes the use of a proven passkey; false when its counter shows that there is a copy of it, or when it was removed. */
export async function notePasskey(
  tx: Transaction,
  { credential, counter }: { readonly credential: CredentialRow; readonly counter: number },
): Promise<boolean> {
  // Passkeys that are synced between devices do not count and always say 0.
  if (counter > 0 || credential.counter > 0) return advanceCounter(tx, credential.id, counter)
  return noteUse(tx, credential.id)
}

function isAnswer(response: unknown): response is AuthenticationResponseJSON {
  return typeof response === 'object' && response !== null && typeof (response as { id?: unknown }).id === 'string'
}
