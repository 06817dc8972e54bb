/** Installations beside a real identity provider, and people who go there and come back. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { OidcOptions } from '../../../src/people/providers/oidc.ts'
import { forDatabasesInTurn, type Open, type WorldOptions } from '../../kit/harness.ts'
import { own, type TestBrowser } from './browser.ts'
import { client, type RunningProvider, startProvider } from './provider.ts'

export let provider: RunningProvider

/** Declares tests for both databases beside an identity provider. */
export function besideProvider(name: string, body: (open: Open) => void): void {
  forDatabasesInTurn(name, (open) => {
    // Other files share this process, and each has its own.
    before(async () => {
      provider = await startProvider()
    })
    after(() => provider.stop())
    body(open)
  })
}

/** An installation whose people sign in at the provider. */
export async function openWith(
  open: Open,
  options: Partial<OidcOptions> = {},
  more: WorldOptions = {},
  isOidcOnly = false,
) {
  const oidc: OidcOptions = {
    issuer: provider.issuer,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    admins: [],
    groups: [],
    ...options,
  }
  // The provider goes by the time of the machine.
  const world = await open({ runActions: false, ...more, people: { oidc, isOidcOnly } })
  world.clock.set(new Date().toISOString())
  provider.allow(`http://localhost:${new URL(world.baseUrl).port}/console/login/oidc/callback`)
  return world
}

/** Goes to the provider and comes back; returns the answer to the way back. */
export async function through(browser: TestBrowser, name: string, query = '', change: (url: URL) => void = () => {}) {
  const gone = await browser.get(`/console/login/oidc${query}`, { 'sec-fetch-site': 'same-origin' })
  assert.equal(gone.status, 303, gone.text)
  const there = new URL(String(gone.headers.location))
  change(there)
  return answered(browser, there.href, name)
}

/** Signs in at the provider, where a browser was sent to, and comes back. */
export async function answered(browser: TestBrowser, there: string, name: string) {
  const back = new URL(await provider.signIn(there, name))
  return { back, reply: await browser.get(back.pathname + back.search, { 'sec-fetch-site': 'cross-site' }) }
}

/** Asks for linking an identity, as the security settings do. */
export const begin = (browser: TestBrowser) => browser.api('POST', `${own}/account/identities`)

/** Links an identity, and returns the answer to the way back. */
export async function linkTo(browser: TestBrowser, name: string) {
  const gone = await begin(browser)
  assert.equal(gone.status, 201, gone.text)
  return (await answered(browser, gone.body.url, name)).reply
}

export const emailOf = async (browser: TestBrowser) => (await browser.api('GET', `${own}/account`)).body.account?.email

/** Gives the provider an account, with this name and what more is said. */
export function known(name: string, more: object = {}): string {
  provider.accounts.set(name, { email: `${name}@example.com`, email_verified: true, name: `Name of ${name}`, ...more })
  return name
}
