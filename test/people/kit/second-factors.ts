/** People who set up second factors, and sign in with them. */
import assert from 'node:assert/strict'
import { stepAt, totpCode } from '../../../src/people/credentials/totp.ts'
import type { World } from '../../kit/harness.ts'
import { Authenticator } from './authenticator.ts'
import { own, type TestBrowser } from './browser.ts'

/** The one-time code of a secret, some steps from now. */
export const code = (world: World, secret: string, steps = 0) => totpCode(secret, stepAt(world.clock.now()) + steps)

/** Turns one-time codes on; returns their secret and the recovery codes. */
export async function withCodes(world: World, browser: TestBrowser) {
  const { totp } = (await browser.api('POST', `${own}/account/totp`)).body
  const reply = await browser.api('POST', `${own}/account/totp/confirm`, {
    ticket: totp.ticket,
    code: code(world, totp.secret),
  })
  assert.equal(reply.status, 201, reply.text)
  return { secret: totp.secret as string, recovery: reply.body.recovery_codes as string[], totp }
}

/** Adds a passkey to the account of a browser. */
export async function withPasskey(browser: TestBrowser, authenticator = new Authenticator(), rpId = 'localhost') {
  const asked = await browser.api('POST', `${own}/account/passkeys/options`)
  assert.equal(asked.status, 200, asked.text)
  const { options } = asked.body
  assert.deepEqual([options.rp.id, options.authenticatorSelection.userVerification], [rpId, 'required'])
  const response = authenticator.create({ challenge: options.challenge, origin: browser.origin, rpId })
  const reply = await browser.api('POST', `${own}/account/passkeys`, { name: 'Laptop', response })
  return { authenticator, reply }
}

/** Signs in with a passkey, as the script of the login page does. */
export async function enter(browser: TestBrowser, authenticator: Authenticator, change: object = {}) {
  const options = await browser.api('POST', '/console/login/passkey/options', {})
  assert.equal(options.status, 200, options.text)
  const asked = { challenge: options.body.challenge, origin: browser.origin, rpId: options.body.rpId, ...change }
  return browser.api('POST', '/console/login/passkey', authenticator.get(asked))
}
