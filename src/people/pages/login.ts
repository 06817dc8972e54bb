/** Logging in with a password and a second factor, and logging out. */
import { ApiError } from '../../kernel/errors.ts'
import type { ServedAnswer } from '../../kernel/http/pages/served.ts'
import { html } from '../../protocols/net/html.ts'
import { rpIdAt } from '../credentials/passkeys.ts'
import { recordSignOut } from '../events.ts'
import { deleteSignIn } from '../sessions/session-store.ts'
import { pendingSignIn, type SignIn, signInWithCode, signInWithPassword } from '../sessions/sign-in.ts'
import { field, heading, hidden, nextPath, problem, submit, type Visit } from './door.ts'
import { passkeyButton } from './passkey-buttons.ts'

interface LoginState {
  readonly email?: string
  readonly next: string
  readonly error?: string
}

function loginPage(visit: Visit, { email, next, error }: LoginState, status = 200): ServedAnswer {
  const { words, people, call } = visit
  const { isOidcOnly } = people.settings
  const query = next === '/console' ? '' : `?${new URLSearchParams({ next })}`
  const provider = people.oidc
    ? html`<a class="btn wide${isOidcOnly ? ' primary' : ''}" href="/console/login/oidc${query}">${words.withProvider}</a>
`
    : undefined
  const own = html`${passkeyButton(visit, next, true)}${field({ name: 'email', label: words.email, type: 'email', value: email, autocomplete: 'username webauthn' })}${field({ name: 'password', label: words.password, type: 'password', autocomplete: 'current-password', error })}${hidden('next', next)}
${submit(words.logIn, false)}`
  const content = html`<form method="post" action="/console/login">${heading(words.logIn, new URL(call.origin).host)}${isOidcOnly ? undefined : own}${isOidcOnly && error ? problem(error) : undefined}${provider}<p class="row wrap"><a href="/console/login/token${query}">${words.useToken}</a>${isOidcOnly ? undefined : html`<a class="end" href="/console/reset">${words.resetPassword}</a>`}</p>${rpIdAt(call.origin, people.settings) === undefined && !isOidcOnly ? html`<p class="faint">${words.noPasskey}</p>` : undefined}</form>`
  return visit.page(words.logIn, content, status)
}

/** The login page; whoever is logged in goes on, unless `?again` asks for a fresh proof. */
export async function showLogin(visit: Visit): Promise<ServedAnswer> {
  const next = nextPath(visit.call.query.get('next'))
  const isFresh = visit.call.query.has('again')
  if (!isFresh && (await visit.people.sessions.find(visit.cookie('session')))) return visit.go(next)
  return loginPage(visit, { next })
}

/** The login page with a refusal of the identity provider or of ourselves. */
export function refuseLogin(visit: Visit, error: string, status = 403): ServedAnswer {
  return loginPage(visit, { next: '/console', error }, status)
}

export async function logIn(visit: Visit): Promise<ServedAnswer> {
  const { people, words, whence } = visit
  const form = visit.form()
  const next = nextPath(form.get('next'))
  if (people.settings.isOidcOnly) return loginPage(visit, { next, error: words.oidcOnly }, 403)
  const email = (form.get('email') ?? '').slice(0, 254)
  const given = { email, password: form.get('password') ?? '', whence, next }
  const result = await signInWithPassword(people, given).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'unavailable') return undefined
    throw error
  })
  if (!result) return loginPage(visit, { email, next, error: words.busy }, 503)
  if (result.kind === 'second') {
    visit.set('sign-in', result.secret)
    return visit.go('/console/login/second')
  }
  if (result.kind === 'session') {
    await visit.welcome(result.secret)
    return visit.go(next)
  }
  return loginPage(visit, { email, next, error: reasonFor(visit, result, words.wrong) }, statusFor(result))
}

function reasonFor(visit: Visit, result: SignIn, wrong: string): string {
  const { words } = visit
  if (result.kind === 'blocked') return words.blocked(visit.time(result.until))
  if (result.kind !== 'wrong') return words.signInOver
  const rest = result.left > 0 ? words.triesLeft(result.left, visit.time(result.until)) : ''
  return `${wrong} ${rest}`.trim()
}

const statusFor = ({ kind }: SignIn) => (kind === 'blocked' ? 429 : 401)

async function secondPage(visit: Visit, error?: string, status = 200): Promise<ServedAnswer> {
  const { words } = visit
  const pending = await pendingSignIn(visit.people, visit.cookie('sign-in'))
  if (!pending) {
    visit.set('sign-in', undefined)
    return visit.go('/console/login')
  }
  const content = html`<form method="post" action="/console/login/second">${heading(words.second, words.secondText(pending.person.email))}${passkeyButton(visit, pending.row.next, false)}${field({ name: 'code', label: words.code, autocomplete: 'one-time-code', error })}${submit(words.goOn, false)}<p class="row wrap"><a href="/console/login">${words.back}</a></p></form>`
  return visit.page(words.second, content, status)
}

export function showSecond(visit: Visit): Promise<ServedAnswer> {
  return secondPage(visit)
}

export async function answerSecond(visit: Visit): Promise<ServedAnswer> {
  const { people, whence } = visit
  const secret = visit.cookie('sign-in')
  const pending = await pendingSignIn(people, secret)
  const code = (visit.form().get('code') ?? '').slice(0, 64)
  const result = await signInWithCode(people, { secret, code, whence })
  if (result.kind === 'session') {
    await visit.welcome(result.secret)
    return visit.go(pending?.row.next ?? '/console')
  }
  return secondPage(visit, reasonFor(visit, result, visit.words.codeWrong), statusFor(result))
}

export async function showLogout(visit: Visit): Promise<ServedAnswer> {
  const { words } = visit
  const content = html`<form method="post" action="/console/logout">${heading(words.logOut, words.logOutText)}${submit(words.logOut)}</form>`
  return visit.page(words.logOut, content)
}

/** Ends all that this browser has here: its session, a half-finished sign-in, and what it was asked. */
export async function logOut(visit: Visit): Promise<ServedAnswer> {
  const { people } = visit
  const secret = visit.cookie('session')
  const [found, pending] = [await people.sessions.find(secret), await pendingSignIn(people, visit.cookie('sign-in'))]
  await people.db.transact(async (tx) => {
    if (pending) await deleteSignIn(tx, pending.row.id)
    if (found) await recordSignOut(tx, found.identity, visit.whence.network)
    if (secret !== undefined) await people.sessions.end(tx, secret)
  })
  for (const use of ['session', 'sign-in', 'browser'] as const) visit.set(use, undefined)
  return visit.go('/console/login', { 'clear-site-data': '"cache", "cookies", "storage"' })
}
