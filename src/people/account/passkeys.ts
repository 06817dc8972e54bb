/** Passkeys of one's own account. */
import type { Browser } from '../../kernel/contract/browser.ts'
import { ApiError } from '../../kernel/errors.ts'
import { cookieName, readCookie, setCookie } from '../cookies.ts'
import { addCredential } from '../credential-store.ts'
import { askForNewPasskey, judgeNewPasskey, rpIdAt } from '../passkeys.ts'
import type { People } from '../people.ts'
import { lockPerson } from '../person-store.ts'
import { type Account, personOf, renew, sessionOf } from './call.ts'
import { toWire } from './credentials.ts'
import { firstRecoveryCodes } from './recovery-codes.ts'

/** Errors: `unsupported_error` where browsers offer no passkeys. */
export function rpIdFor({ settings }: People, browser: Browser): string {
  const rpId = rpIdAt(browser.origin, settings)
  if (rpId !== undefined) return rpId
  throw new ApiError('unsupported_error', 'passkeys need HTTPS or localhost, and the host of --public-url if it is set')
}

export function passkeyHandlers(people: People): Pick<Account, 'askForPasskey' | 'addPasskey'> {
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

export function sendCeremony(people: People, browser: Browser, secret: string): void {
  browser.setCookie(setCookie({ origin: browser.origin, installation: people.installation }, 'ceremony', secret))
}

export function ceremonyOf({ installation }: People, { cookies, origin }: Browser): string | undefined {
  return readCookie(cookies, cookieName({ origin, installation }, 'ceremony'))
}
