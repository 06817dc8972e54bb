/**
 * Accounts that begin with a passkey instead of a password: that of the first administrator, and those that invitations make.
 * The script of the page asks for the challenge and brings the answer; refusals are words that it shows.
 */
import { ApiError } from '../../kernel/errors.ts'
import type { ServedAnswer } from '../../kernel/http/pages/served.ts'
import { plainAddress } from '../../kernel/mail/address.ts'
import { askForFirstPasskey, judgeFirstPasskey, rpIdAt } from '../credentials/passkeys.ts'
import { acceptAnew, invitedBy } from '../memberships/invitations.ts'
import { deadLink, isSetupLink, setUp } from '../setup.ts'
import type { Visit } from './door.ts'
import { nameError } from './links.ts'

/** A text of the body, without spaces around it; empty for anything else. */
function textIn(visit: Visit, name: string): string {
  const body = visit.json()
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value.trim().slice(0, 300) : ''
}

const refuse = (visit: Visit, problem: string, status = 422) => visit.reply(status, { problem })

/** Answers with words for what was refused. */
async function orWords(visit: Visit, work: () => Promise<ServedAnswer>): Promise<ServedAnswer> {
  const { words } = visit
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    if (error.message === deadLink().message) return refuse(visit, words.deadLink, error.status)
    return refuse(visit, error.code === 'uniqueness_error' ? words.emailTaken : words.newPasskeyFailed, error.status)
  }
}

/** Asks the browser of somebody for the passkey of an account with this address. */
async function ask(visit: Visit, email: string): Promise<ServedAnswer> {
  const { people, call } = visit
  const rpId = rpIdAt(call.origin, people.settings)
  if (rpId === undefined || people.settings.isOidcOnly) return visit.reply(404, {})
  const name = textIn(visit, 'name')
  const problem = nameError(visit, name)
  if (problem !== undefined) return refuse(visit, problem)
  return visit.reply(200, await askForFirstPasskey(people, { email, name }, { browser: visit.browserSecret(), rpId }))
}

/** The passkey that the browser has made. Errors: `invalid_input`. */
async function made(visit: Visit) {
  const body = visit.json() as { response?: unknown } | undefined
  const { newcomer, passkey } = await judgeFirstPasskey(visit.people, visit.answered(body?.response))
  return { newcomer, way: { passkey, personId: newcomer.id, passkeyName: visit.words.passkeyName } }
}

export function setupPasskeyOptions(visit: Visit): Promise<ServedAnswer> {
  return orWords(visit, async () => {
    if (!(await isSetupLink(visit.people, textIn(visit, 'code')))) throw deadLink()
    const email = plainAddress(textIn(visit, 'email'))
    return email === undefined ? refuse(visit, visit.words.badEmail) : ask(visit, email)
  })
}

export function setUpWithPasskey(visit: Visit): Promise<ServedAnswer> {
  return orWords(visit, async () => {
    const { newcomer, way } = await made(visit)
    const { email, name } = newcomer
    await visit.welcome(await setUp(visit.people, textIn(visit, 'code'), { email, name, way }, visit.whence))
    return visit.reply(200, { next: '/console' })
  })
}

export function invitePasskeyOptions(visit: Visit): Promise<ServedAnswer> {
  return orWords(visit, async () => {
    const { invitation, person } = await invitedBy(visit.people, textIn(visit, 'code'))
    return person ? refuse(visit, visit.words.emailTaken, 403) : ask(visit, invitation.email)
  })
}

export function acceptWithPasskey(visit: Visit): Promise<ServedAnswer> {
  return orWords(visit, async () => {
    const { people, whence } = visit
    const code = textIn(visit, 'code')
    const { newcomer, way } = await made(visit)
    const { invitation } = await invitedBy(people, code)
    if (invitation.email !== newcomer.email) throw deadLink()
    await visit.welcome(await acceptAnew(people, code, { name: newcomer.name, way }, whence))
    return visit.reply(200, { next: `/console/projects/${invitation.project_id}` })
  })
}
