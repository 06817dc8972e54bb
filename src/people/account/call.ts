/** A call about the caller's own account carries the person and the session. */
import type { Browser } from '../../kernel/contract/browser.ts'
import type { ApiCall, Endpoint, Handlers } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { accountEndpoints } from '../contract.ts'
import type { People } from '../people.ts'
import { personById } from '../person-store.ts'
import { cookieName, readCookie, setCookie } from '../sessions/cookies.ts'
import type { PersonRow, SessionRow } from '../tables.ts'

export type Call = Pick<ApiCall<Endpoint>, 'caller' | 'browser'>
export type Account = Handlers<typeof accountEndpoints>

const cookieAge = 30 * 86_400

/** The person of a call. */
export async function personOf({ db }: People, { caller }: Pick<Call, 'caller'>): Promise<PersonRow> {
  const person = await personById(db.query, caller.actor.id)
  if (!person) throw new ApiError('unauthorized', 'sign in first')
  return person
}

export const sessionIdOf = ({ caller: { session = 0 } }: Pick<Call, 'caller'>) => session

/**
 * The session of a call, as the browser has it. Errors: `unauthorized`, also when the browser has sent two of them and this
 * is not the one that the call was let in with: nobody proves something for the session of somebody else.
 */
export async function sessionOf(
  { sessions, installation }: People,
  call: Pick<Call, 'caller' | 'browser'>,
): Promise<SessionRow> {
  const { cookies, origin } = call.browser()
  const found = await sessions.find(readCookie(cookies, cookieName({ origin, installation }, 'session')))
  if (found?.session.id !== sessionIdOf(call)) throw new ApiError('unauthorized', 'sign in first')
  return found.session
}

/** Gives a session another secret, because it or its person has gained rights. Returns the cookie. Errors: `conflict`. */
export async function renew(
  people: People,
  tx: Transaction,
  session: SessionRow,
  browser: Browser,
  elevatedUntil?: number,
) {
  const secret = await people.sessions.rekey(tx, session, elevatedUntil)
  if (secret === undefined) throw new ApiError('conflict', 'the session has changed meanwhile; try again')
  return setCookie({ origin: browser.origin, installation: people.installation }, 'session', secret, cookieAge)
}

/** The answer to whoever does not prove who they are. */
export const wrongProof = (message: string) => new ApiError('wrong_credentials', message, { status: 403 })
