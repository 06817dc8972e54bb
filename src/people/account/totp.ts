/** Codes of an app as a second factor. */
import { invalidInput } from '../../kernel/errors.ts'
import { addCredential, removeKind } from '../credential-store.ts'
import { openFor, type People, sealFor } from '../people.ts'
import { lockPerson } from '../person-store.ts'
import { qrSvg } from '../qr.ts'
import { matchingStep, newTotpSecret, totpUri } from '../totp.ts'
import { type Account, personOf, renew, sessionOf, wrongProof } from './call.ts'
import { firstRecoveryCodes } from './recovery-codes.ts'

const ticketMs = 15 * 60_000

export function totpHandlers(people: People): Pick<Account, 'beginTotp' | 'confirmTotp'> {
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
