/** Passkeys of one's own account. */
import { noteTouched } from '../../kernel/audit/note.ts'
import type { Browser } from '../../kernel/contract/browser.ts'
import { ApiError } from '../../kernel/errors.ts'
import { addCredential } from '../credentials/credential-store.ts'
import { type Answered, type Asked, askForNewPasskey, judgeNewPasskey, rpIdAt } from '../credentials/passkeys.ts'
import type { People } from '../people.ts'
import { lockPerson } from '../person-store.ts'
import { browserSecret, cookieName, readCookie } from '../sessions/cookies.ts'
import { type Account, personOf, renew, sessionOf } from './call.ts'
import { toWire } from './credentials.ts'
import { firstRecoveryCodes } from './recovery-codes.ts'

/** Returns the party to ask for a passkey. Errors: `unsupported_error` where browsers offer none. */
export function askedIn(people: People, browser: Browser): Asked {
  const rpId = rpIdAt(browser.origin, people.settings)
  if (rpId !== undefined) return { browser: secretFor(people, browser), rpId }
  throw new ApiError('unsupported_error', 'passkeys need HTTPS or localhost, and the host of --public-url if it is set')
}

export function passkeyHandlers(people: People): Pick<Account, 'askForPasskey' | 'addPasskey'> {
  const { db } = people
  return {
    askForPasskey: async (call) => {
      const browser = call.browser()
      const options = await askForNewPasskey(people, await personOf(people, call), askedIn(people, browser))
      return { options: { ...options } }
    },
    addPasskey: async (call) => {
      const browser = call.browser()
      const personId = call.caller.actor.id
      const given = answeredIn(people, browser, call.body.response)
      const session = await sessionOf(people, call)
      const passkey = await judgeNewPasskey(people, personId, given)
      const { row, codes, cookie } = await db.transact(async (tx) => {
        await lockPerson(tx, personId)
        const row = await addCredential(tx, { ...passkey, personId, kind: 'passkey', name: call.body.name })
        noteTouched(tx, row.id)
        const codes = await firstRecoveryCodes(tx, personId)
        return { row, codes, cookie: await renew(people, tx, session, browser) }
      })
      browser.setCookie(cookie)
      return { credential: toWire(row), recovery_codes: codes }
    },
  }
}

/** The secret under which a browser gets challenges; it is sent along when the browser has none. */
export function secretFor({ installation }: People, browser: Browser): string {
  const { secret, cookie } = browserSecret({ origin: browser.origin, installation }, browser.cookies)
  if (cookie !== undefined) browser.setCookie(cookie)
  return secret
}

/** Returns the answer of a browser to a challenge. */
export function answeredIn({ installation }: People, { cookies, origin }: Browser, response: unknown): Answered {
  return { browser: readCookie(cookies, cookieName({ origin, installation }, 'browser')), origin, response }
}
