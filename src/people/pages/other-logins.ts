/** Logging in with a passkey, through an identity provider, and with an API token. */

import { databaseFailure } from '../../kernel/data/dialect.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { ServedAnswer } from '../../kernel/http/pages/served.ts'
import { channels } from '../../kernel/process/channels.ts'
import { html } from '../../protocols/net/html.ts'
import { Blocked, forgetAttempts, judged } from '../credentials/guesses.ts'
import { askForPasskey, notePasskey, provenPasskey, rpIdAt } from '../credentials/passkeys.ts'
import { recordFailedSignIn } from '../events.ts'
import { personById } from '../person-store.ts'
import { linkOwn, signInAs } from '../providers/identities.ts'
import type { Identity } from '../providers/oidc.ts'
import { goToProvider, identityOf, takeVisit } from '../providers/provider-visits.ts'
import { deleteSignIn } from '../sessions/session-store.ts'
import { pendingSignIn } from '../sessions/sign-in.ts'
import { field, heading, hidden, nextPath, problem, submit, type Visit } from './door.ts'
import { refuseLogin } from './login.ts'

// ---- Passkeys ------------------------------------------------------------------------------------------------------

/** Options for the browser: any passkey, or those of who has given a password already. */
export async function passkeyOptions(visit: Visit): Promise<ServedAnswer> {
  const { people, call } = visit
  const rpId = rpIdAt(call.origin, people.settings)
  if (rpId === undefined || people.settings.isOidcOnly) return visit.reply(404, {})
  const pending = await pendingSignIn(people, visit.cookie('sign-in'))
  const asked = { browser: visit.browserSecret(), rpId }
  return visit.reply(200, await askForPasskey(people, 'passkey-sign-in', asked, pending?.person.id))
}

/** A passkey with user verification is something that one has and something that one knows or is: no second factor. */
export async function logInWithPasskey(visit: Visit): Promise<ServedAnswer> {
  const { people, call, whence } = visit
  const given = visit.answered(visit.json())
  const proven = people.settings.isOidcOnly ? undefined : await provenPasskey(people, 'passkey-sign-in', given)
  const person = proven && (await personById(people.db.query, proven.credential.person_id))
  if (!proven || !person || person.disabled !== null) {
    recordFailedSignIn(people, person, whence.network, 'forbidden')
    return visit.reply(401, {})
  }
  const pending = await pendingSignIn(people, visit.cookie('sign-in'))
  const secret = await people.db.transact(async (tx) => {
    if (pending) await deleteSignIn(tx, pending.row.id)
    if (!(await notePasskey(tx, proven))) return undefined
    return people.sessions.start(tx, { personId: person.id, whence })
  })
  if (secret === undefined) return visit.reply(401, {})
  await visit.welcome(secret)
  return visit.reply(200, { next: nextPath(call.query.get('next')) })
}

// ---- The identity provider -----------------------------------------------------------------------------------------

/** Sends the browser to the provider to sign in. Linking an identity begins below the API, where no link leads. */
export async function startOidc(visit: Visit): Promise<ServedAnswer> {
  const { people, call } = visit
  if (!people.oidc) return visit.go('/console/login')
  const kind = call.query.has('fresh') ? 'oidc-fresh' : 'oidc-sign-in'
  const next = nextPath(call.query.get('next'))
  try {
    return visit.go(await goToProvider(people, { kind, next, browser: visit.browserSecret(), origin: call.origin }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'unavailable') throw error
    return refuseLogin(visit, visit.words.failed, 502)
  }
}

/** The provider's answer. It counts once, and only in the browser that asked. */
export async function finishOidc(visit: Visit): Promise<ServedAnswer> {
  const { people, call, whence, words } = visit
  const back = { browser: visit.cookie('browser'), origin: call.origin, query: call.query }
  const ceremony = people.oidc && (await takeVisit(people, back))
  if (!ceremony) return refuseLogin(visit, words.signInOver)
  let identity: Identity
  try {
    identity = await identityOf(people, ceremony, back)
  } catch (error) {
    people.log.warn({ err: error }, 'an answer of the identity provider was refused')
    return refuseLogin(visit, words.failed)
  }
  try {
    if (ceremony.kind === 'oidc-link') {
      // Whoever asked may have lost the session meanwhile, such as by another one's revocation.
      const found = await people.sessions.find(visit.cookie('session'))
      if (found?.person?.id !== ceremony.person_id) return refuseLogin(visit, words.signInOver)
      await linkOwn(people, found!.person!, identity, whence)
    } else await visit.welcome(await signInAs(people, identity, whence))
    return visit.go(ceremony.data)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const isTaken = error.code === 'uniqueness_error'
    if (ceremony.kind === 'oidc-link')
      return refuseLink(visit, isTaken ? words.linkTaken : error.message, ceremony.data)
    return refuseLogin(visit, error.message)
  }
}

/** Says why an identity was not linked, to somebody who is still signed in. */
function refuseLink(visit: Visit, text: string, back: string): ServedAnswer {
  const { words } = visit
  const content = html`<div class="stack-l">${heading(words.failed)}${problem(text)}<p><a href="${back}">${words.backToAccount}</a></p></div>`
  return visit.page(words.failed, content, 403)
}

// ---- API tokens ----------------------------------------------------------------------------------------------------

function tokenPage(visit: Visit, next: string, error?: string, status = 200): ServedAnswer {
  const { words } = visit
  const content = html`<form method="post" action="/console/login/token">${heading(words.tokenTitle, words.tokenText)}${field({ name: 'token', label: words.token, type: 'password', autocomplete: 'off', error })}${hidden('next', next)}
${submit(words.goOn)}<p class="row wrap"><a href="/console/login">${words.back}</a></p></form>`
  return visit.page(words.tokenTitle, content, status)
}

export async function showTokenDoor(visit: Visit): Promise<ServedAnswer> {
  return tokenPage(visit, nextPath(visit.call.query.get('next')))
}

/** Makes a session with the Project and the rights of a token. */
export async function enterWithToken(visit: Visit): Promise<ServedAnswer> {
  const { people, words, whence } = visit
  const form = visit.form()
  const next = nextPath(form.get('next'))
  const attempt = { what: 'token', account: '', network: whence.network }
  const secret = await judged(people, attempt, async () => {
    const tokenId = await people.findToken((form.get('token') ?? '').trim())
    if (tokenId === undefined) return undefined
    const entered = people.db.transact(async (tx) => {
      await forgetAttempts(tx, attempt)
      return people.sessions.start(tx, { tokenId, whence })
    })
    return entered.catch((error: unknown) => {
      // It was revoked meanwhile.
      if (databaseFailure(error)?.kind === 'foreign_key') return undefined
      throw error
    })
  })
  if (secret instanceof Blocked) return tokenPage(visit, next, words.blocked(visit.time(secret.until)), 429)
  if (secret === undefined && channels.signIn.hasSubscribers) channels.signIn.publish({ outcome: 'failure' })
  if (secret === undefined) return tokenPage(visit, next, words.tokenWrong, 401)
  await visit.welcome(secret)
  return visit.go(next)
}
