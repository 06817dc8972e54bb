/** Pages that links lead to: setting up, entering as a tester, a new password. Their secrets are in fragments. */

import type { ApiError } from '../../kernel/errors.ts'
import type { ServedAnswer } from '../../kernel/http/pages/served.ts'
import { plainAddress } from '../../kernel/mail/address.ts'
import { hashPassword } from '../../kernel/secrets/password-hash.ts'
import { type Html, html } from '../../protocols/net/html.ts'
import { Blocked, judged } from '../credentials/guesses.ts'
import { passwordProblem } from '../credentials/password.ts'
import { hasAdmin } from '../person-store.ts'
import { askForLink, personOfLink, useLink } from '../sessions/resets.ts'
import { deadLink, enterAsTester, isSetupLink, setUp } from '../setup.ts'
import { field, heading, hidden, problem, submit, type Visit } from './door.ts'
import { newPasskeyButton } from './passkey-buttons.ts'

type Errors = Readonly<Partial<Record<'code' | 'name' | 'email' | 'password', string>>>

/** Returns the reason to refuse a new password, in words. */
export function passwordError({ words }: Visit, password: string, names: readonly string[]): string | undefined {
  const found = passwordProblem(password, names)
  if (found === undefined) return undefined
  return { too_short: words.tooShort, too_long: words.tooLong, too_common: words.tooCommon }[found]
}

/** Returns the reason to refuse a name, in words. */
export function nameError({ words }: Visit, name: string): string | undefined {
  return name === '' || name.length > 100 ? words.noName : undefined
}

export function newPassword({ words }: Visit, error: string | undefined): Html {
  return field({
    name: 'password',
    label: words.newPassword,
    type: 'password',
    autocomplete: 'new-password',
    hint: words.passwordHint,
    error,
  })
}

/** A field for the secret of a link, which the script fills. */
export function linkField({ words }: Visit, label = words.linkCode, hint?: string, error?: string): Html {
  return field({ name: 'code', label, autocomplete: 'off', isFragment: true, ...(hint ? { hint } : {}), error })
}

/** The page of a refusal, for what a page has no place of its own for. */
export function refusalPage(visit: Visit, error: ApiError): ServedAnswer {
  const { words } = visit
  const text = error.message === deadLink().message ? words.deadLink : error.message
  const content = html`<div class="stack-l">${heading(words.failed)}${problem(text)}<p><a href="/console/login">${words.back}</a></p></div>`
  return visit.page(words.failed, content, error.status)
}

// ---- The first administrator ---------------------------------------------------------------------------------------

interface SetupGiven {
  readonly code: string
  readonly name: string
  readonly email: string
}

function setupPage(visit: Visit, given: Partial<SetupGiven>, errors: Errors = {}, status = 200): ServedAnswer {
  const { words } = visit
  const code = given.code ? hidden('code', given.code) : linkField(visit, words.setupCode, words.setupHelp, errors.code)
  const passkey = newPasskeyButton(visit, '/console/setup')
  const content = html`<form method="post" action="/console/setup">${heading(words.setup, words.setupText)}${code}${field({ name: 'name', label: words.name, value: given.name, autocomplete: 'name', error: errors.name })}${field({ name: 'email', label: words.email, type: 'email', value: given.email, autocomplete: 'username', error: errors.email })}${passkey}${newPassword(visit, errors.password)}${submit(words.createAccount, passkey === undefined)}</form>`
  return visit.page(words.setup, content, status)
}

/** Says where the code is to be found, and nothing else to those without it. */
export async function showSetup(visit: Visit): Promise<ServedAnswer> {
  const { people, words } = visit
  if (await hasAdmin(people.db.query)) return setupElsewhere(visit, words.setupDone)
  return people.settings.isOidcOnly ? setupElsewhere(visit, words.setupByProvider) : setupPage(visit, {})
}

function setupElsewhere(visit: Visit, text: string): ServedAnswer {
  const { words } = visit
  const content = html`<div class="stack-l">${heading(words.setup, text)}<p><a href="/console/login">${words.back}</a></p></div>`
  return visit.page(words.setup, content)
}

export async function answerSetup(visit: Visit): Promise<ServedAnswer> {
  const { people, words, whence } = visit
  const form = visit.form()
  const [code, name, email, password] = ['code', 'name', 'email', 'password'].map((key) => form.get(key) ?? '') as [
    string,
    string,
    string,
    string,
  ]
  if (people.settings.isOidcOnly) throw deadLink()
  if (!(await isSetupLink(people, code))) return setupPage(visit, { name, email }, { code: words.deadLink }, 403)
  const errors: Errors = withoutUndefined({
    name: nameError(visit, name.trim()),
    email: plainAddress(email) === undefined ? words.badEmail : undefined,
    password: passwordError(visit, password, [email, name]),
  })
  if (Object.keys(errors).length > 0) return setupPage(visit, { code, name, email }, errors, 422)
  const passwordHash = await people.hashing.run(whence.network, () => hashPassword(password))
  await visit.welcome(await setUp(people, code, { email, name, way: { passwordHash } }, whence))
  return visit.go('/console')
}

export function withoutUndefined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never
}

// ---- Testers -------------------------------------------------------------------------------------------------------

export async function showEnter(visit: Visit): Promise<ServedAnswer> {
  const { words } = visit
  const content = html`<form method="post" action="/console/enter" data-auto>${heading(words.enter, words.enterText)}${linkField(visit)}${submit(words.enter)}</form>`
  return visit.page(words.enter, content)
}

export async function answerEnter(visit: Visit): Promise<ServedAnswer> {
  await visit.welcome(await enterAsTester(visit.people, visit.form().get('code') ?? undefined, visit.whence))
  return visit.go('/console')
}

// ---- New passwords -------------------------------------------------------------------------------------------------

function askPage(visit: Visit, notice?: string, error?: string, status = 200): ServedAnswer {
  const { words, people } = visit
  const ask = people.mail
    ? html`<form method="post" action="/console/reset">${field({ name: 'email', label: words.email, type: 'email', autocomplete: 'username', error })}${submit(words.resetAsk)}</form>`
    : html`<p>${words.noMail}</p>`
  const content = html`<div class="stack-l">${heading(words.resetPassword)}${notice ? html`<p class="note" role="status">${notice}</p>` : ask}
<form method="post" action="/console/reset/password" data-auto>${linkField(visit, words.haveLink)}${submit(words.goOn, false)}</form>
<p><a href="/console/login">${words.back}</a></p></div>`
  return visit.page(words.resetPassword, content, status)
}

export async function showReset(visit: Visit): Promise<ServedAnswer> {
  return askPage(visit)
}

/** Answers alike whether or not somebody has the address. */
export async function askForReset(visit: Visit): Promise<ServedAnswer> {
  const { people, words, whence } = visit
  if (people.settings.isOidcOnly) return askPage(visit, words.noMail, undefined, 403)
  const email = plainAddress(visit.form().get('email') ?? '')
  if (email === undefined) return askPage(visit, undefined, words.badEmail, 422)
  const attempt = { what: 'reset', account: email, network: whence.network }
  const result = await judged(people, attempt, () => askForLink(people, email))
  if (result instanceof Blocked) return askPage(visit, undefined, words.blocked(visit.time(result.until)), 429)
  return askPage(visit, words.resetText)
}

/** The second step: the code alone shows the form, with a password it is used. */
export async function answerReset(visit: Visit): Promise<ServedAnswer> {
  const { people, words, whence } = visit
  const form = visit.form()
  const code = form.get('code') ?? ''
  const person = await personOfLink(people, code)
  const { isOidcOnly } = people.settings
  const password = form.get('password')
  const error = password === null ? undefined : passwordError(visit, password, [person.email, person.name])
  if (form.has('go') && (isOidcOnly || (password !== null && error === undefined))) {
    const passwordHash = isOidcOnly
      ? undefined
      : await people.hashing.run(whence.network, () => hashPassword(password!))
    const result = await useLink(people, code, passwordHash, whence)
    if (result.kind === 'session') await visit.welcome(result.secret)
    else visit.set('sign-in', result.secret)
    return visit.go(result.kind === 'session' ? '/console' : '/console/login/second')
  }
  const fields = isOidcOnly
    ? undefined
    : html`<input type="hidden" name="username" autocomplete="username" value="${person.email}">${newPassword(visit, error)}`
  const content = html`<form method="post" action="/console/reset/password">${heading(words.setPassword(person.email), words.setPasswordText)}${hidden('code', code)}${hidden('go', '1')}${fields}${submit(isOidcOnly ? words.goOn : words.save)}</form>`
  return visit.page(words.resetPassword, content, error === undefined ? 200 : 422)
}
