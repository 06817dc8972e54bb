/** Codes of an app as a second factor. */
import { invalidInput } from '../../kernel/errors.ts'
import { addCredential, removeKind } from '../credentials/credential-store.ts'
import { qrSvg } from '../credentials/qr.ts'
import { derive, randomSecret } from '../credentials/secret-text.ts'
import { matchingStep, newTotpSecret, totpUri } from '../credentials/totp.ts'
import { openFor, type People, sealFor } from '../people.ts'
import { lockPerson } from '../person-store.ts'
import { startCeremony, takeCeremony } from '../sessions/link-store.ts'
import type { CeremonyRow } from '../tables.ts'
import { type Account, personOf, renew, sessionOf, wrongProof } from './call.ts'
import { firstRecoveryCodes } from './recovery-codes.ts'

const ticketMs = 15 * 60_000

export function totpHandlers(people: People): Pick<Account, 'beginTotp' | 'confirmTotp'> {
  const { db } = people
  return {
    beginTotp: async (call) => {
      const person = await personOf(people, call)
      const secret = newTotpSecret()
      const uri = totpUri(secret, person.email, 'Wolke')
      const ticket = randomSecret()
      const data = sealFor(people, person.id, 'ticket', secret)
      await db.transact((tx) => {
        const about = { kind: 'totp-add', person_id: person.id, data, expires: tx.now + ticketMs } as const
        return startCeremony(tx, { browser: anyBrowserOf(people, person.id), challenge: ticket }, about)
      })
      return { totp: { secret, uri, qr_svg: qrSvg(uri, 'Wolke'), ticket } }
    },
    confirmTotp: async (call) => {
      const person = await personOf(people, call)
      const { ticket, code } = call.body
      const browser = call.browser()
      const session = await sessionOf(people, call)
      const { codes, cookie } = await db.transact(async (tx) => {
        // A wrong code undoes this, so that the ticket counts until there is a right one.
        const challenged = { browser: anyBrowserOf(people, person.id), challenge: ticket }
        const secret = secretIn(people, person.id, await takeCeremony(tx, ['totp-add'], challenged))
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

/** Stands for all browsers of a person: whoever is signed in there may go on with a ticket. */
const anyBrowserOf = ({ key }: People, personId: number) => derive(key.toString('base64url'), `totp of ${personId}`)

/** The secret behind a ticket of `beginTotp`. Errors: `invalid_input`. */
function secretIn(people: People, personId: number, taken: CeremonyRow | undefined): string {
  if (taken?.person_id === personId) return openFor(people, personId, 'ticket', taken.data)
  throw invalidInput([{ field: 'ticket', message: 'does not count any more; begin again' }])
}
