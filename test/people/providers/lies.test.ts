/** What an identity provider, or somebody on the way to it, says and must not be believed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { OidcOptions } from '../../../src/people/providers/oidc.ts'
import { forDatabasesInTurn, type Open, type World } from '../../kit/harness.ts'
import { own, setUp, TestBrowser } from '../kit/browser.ts'
import { type FalseProvider, type Said, startFalseProvider } from '../kit/false-provider.ts'

let provider: FalseProvider
before(async () => {
  provider = await startFalseProvider()
})
after(() => provider.stop())

const admin = 'kay@example.com'
const verified = { email: admin, email_verified: true, name: 'Kay' }

async function openWith(open: Open, change: Partial<OidcOptions> = {}) {
  const oidc = { issuer: provider.issuer, clientId: 'wolke', clientSecret: 'any', admins: [admin], groups: [] }
  const world = await open({ runActions: false, people: { oidc: { ...oidc, ...change } } })
  world.clock.set(new Date().toISOString())
  return world
}

/** Goes to the provider and comes back with what it says. */
async function through(world: World, said: Said) {
  const browser = new TestBrowser(world)
  const gone = await browser.get('/console/login/oidc', { 'sec-fetch-site': 'same-origin' })
  assert.equal(gone.status, 303, gone.text)
  const reply = await browser.get(provider.wayBack(String(gone.headers.location), said))
  return { browser, reply }
}

const people = ({ db }: World) => db.query.selectFrom('person').select(['email', 'installation_role']).execute()

forDatabasesInTurn('an identity provider that says what is not so', (open) => {
  test('makes nobody an administrator by a letter that lower case turns into another one', async () => {
    const world = await openWith(open)
    for (const email of ['\u212aay@example.com', '\u212aAY@example.com', 'ops@example.com, kay@example.com', '']) {
      const { browser, reply } = await through(world, { claims: { ...verified, sub: 'mallory', email } })
      assert.deepEqual([reply.status, browser.session], [403, undefined], email)
      assert.match(reply.text, /has verified no plain e-mail address/)
    }
    assert.deepEqual(await people(world), [])
    const { reply } = await through(world, { claims: { ...verified, sub: 'kay', email: 'KAY@Example.com' } })
    assert.equal(reply.status, 303, reply.text)
    assert.deepEqual(await people(world), [{ email: admin, installation_role: 'admin' }])
    // Who is known is not that administrator by a changed address either.
    await through(world, { claims: { ...verified, sub: 'eve', email: 'eve@example.com' } })
    const again = await through(world, { claims: { ...verified, sub: 'eve', email: '\u212aay@example.com' } })
    assert.equal(again.reply.status, 303)
    assert.equal((await again.browser.api('GET', `${own}/people`)).status, 403)
  })

  test('lets in nobody without a subject, nor with one that no provider may give', async () => {
    const world = await openWith(open)
    for (const sub of ['', ' ', 'x'.repeat(256), 'k\u00e4y', 'a\u0000b']) {
      const { browser, reply } = await through(world, { claims: { ...verified, sub } })
      assert.deepEqual([reply.status, browser.session], [403, undefined], sub)
    }
    assert.deepEqual(await people(world), [])
  })

  test('is not believed without the signature of its issuer', async () => {
    const world = await openWith(open)
    const claims = { ...verified, sub: 'kay' }
    const { browser, reply } = await through(world, { claims, isForged: true })
    assert.deepEqual([reply.status, browser.session, await people(world)], [403, undefined, []])
    assert.equal((await through(world, { claims })).reply.status, 303)
  })

  test('does not lead to addresses where everybody on the way can answer', async () => {
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint']) {
      const elsewhere = await startFalseProvider({ [name]: 'http://login.example.com/' })
      try {
        const world = await openWith(open, { issuer: elsewhere.issuer })
        const browser = new TestBrowser(world)
        assert.equal((await browser.get('/console/login/oidc')).status, 502, name)
      } finally {
        await elsewhere.stop()
      }
    }
  })
})

forDatabasesInTurn('addresses', (open) => {
  test('are plain ASCII before they are compared, wherever somebody gives one', async () => {
    const world = await open({ runActions: false })
    const jana = await setUp(world)
    const given = ['\u212aay@example.com', 'kay@ex\u00e4mple.com', 'kay@\u212b.example', 'ops@example.com\u0130']
    for (const email of given) {
      const made = await jana.api('POST', `${own}/people`, { email })
      assert.deepEqual([made.status, Object.keys(made.body.error.details.fields)], [422, ['0']], email)
    }
    assert.equal((await jana.api('POST', `${own}/people`, { email: ' Kay@Example.com ' })).body.person.email, admin)
    const twice = await jana.api('POST', `${own}/people`, { email: 'KAY@EXAMPLE.COM' })
    assert.equal(twice.status, 409)
    const { project } = (await jana.api('POST', `${own}/projects`, { name: 'shop' })).body
    const at = `${own}/projects/${project.id}`
    for (const email of given) {
      assert.equal((await jana.api('POST', `${at}/invitations`, { email, role: 'viewer' })).status, 422, email)
      assert.equal((await jana.api('PUT', at, { owner_email: email })).status, 422, email)
    }
    // A login with such an address is that of nobody: it takes no try from whom it looks like.
    const { invitation } = (await jana.api('POST', `${at}/invitations`, { email: 'KAY@example.com', role: 'viewer' }))
      .body
    assert.equal(invitation.email, admin)
  })
})
