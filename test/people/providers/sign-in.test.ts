/** Signing in through an identity provider: a real one, with real redirects and signatures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPerson, personByEmail } from '../../../src/people/person-store.ts'
import { makeLink } from '../../../src/people/sessions/link-store.ts'
import { makeSetupLink } from '../../../src/people/setup.ts'
import { answered, besideProvider, emailOf, known, openWith, provider, through } from '../kit/at-provider.ts'
import { adminEmail, own, password, signIn, TestBrowser } from '../kit/browser.ts'

besideProvider('an identity provider', (open) => {
  test('signs people in, the same one the next time, by its subject', async () => {
    const world = await openWith(open)
    const login = await new TestBrowser(world).get('/console/login')
    assert.match(login.text, /href="\/console\/login\/oidc"/)
    const browser = new TestBrowser(world)
    const { reply } = await through(browser, known('ada'), '?next=/console/account/security')
    assert.deepEqual([reply.status, reply.headers.location], [303, '/console/account/security'], reply.text)
    assert.equal(await emailOf(browser), 'ada@example.com')
    known('ada', { email: 'changed@example.com' })
    const again = new TestBrowser(world)
    await through(again, 'ada')
    assert.equal(await emailOf(again), 'ada@example.com')
    assert.equal((await world.db.query.selectFrom('person').selectAll().execute()).length, 1)
    const { credentials } = (await again.api('GET', `${own}/account/credentials`)).body
    assert.deepEqual([credentials.length, credentials[0].kind], [1, 'oidc'])
  })

  test('is asked with PKCE, nonce and state, and its answer counts once, in the browser that asked', async () => {
    const world = await openWith(open)
    const [browser, victim] = [new TestBrowser(world), new TestBrowser(world)]
    const asked = new URL(String((await browser.get('/console/login/oidc')).headers.location)).searchParams
    assert.equal(asked.get('code_challenge_method'), 'S256')
    for (const part of ['code_challenge', 'nonce', 'state']) assert.ok((asked.get(part)?.length ?? 0) >= 43, part)
    const attacker = new TestBrowser(world)
    const gone = await attacker.get('/console/login/oidc')
    const back = new URL(await provider.signIn(String(gone.headers.location), known('mallory')))
    const way = back.pathname + back.search
    // The answer to one browser is given to another one: with no challenge, and with one of its own.
    assert.equal((await victim.get(way)).status, 403)
    await victim.get('/console/login/oidc')
    assert.equal((await victim.get(way)).status, 403)
    assert.equal(victim.session, undefined)
    const replayed = attacker.copy(world)
    assert.equal((await attacker.get(way)).status, 303)
    assert.equal((await replayed.get(way)).status, 403)
    const changed = new TestBrowser(world)
    const other = await changed.get('/console/login/oidc')
    const wrong = new URL(await provider.signIn(String(other.headers.location), 'mallory'))
    wrong.searchParams.set('state', 'x'.repeat(43))
    assert.equal((await changed.get(wrong.pathname + wrong.search)).status, 403)
    assert.equal(changed.session, undefined)
  })

  test('proves who somebody is anew only by a sign-in that is as new', async () => {
    const world = await openWith(open)
    const browser = new TestBrowser(world)
    await through(browser, known('ada'))
    const whole = world.clock.now()
    world.clock.set(new Date(whole + 120_000).toISOString())
    // The provider's answer says that the sign-in was two minutes ago; or, when it was not asked, not when.
    const old = await through(browser, 'ada', '?fresh')
    assert.equal(old.reply.status, 403)
    world.clock.set(new Date().toISOString())
    const unasked = await through(browser, 'ada', '?fresh', ({ searchParams }) => {
      searchParams.delete('prompt')
      searchParams.delete('max_age')
    })
    assert.equal(unasked.reply.status, 403)
    const before = browser.copy(world)
    const { reply } = await through(browser, 'ada', '?fresh&next=/console/account/security')
    assert.deepEqual([reply.status, reply.headers.location], [303, '/console/account/security'], reply.text)
    assert.equal(await emailOf(browser), 'ada@example.com')
    assert.equal(await emailOf(before), undefined)
  })

  test('without a verified address nobody gets an account', async () => {
    const world = await openWith(open)
    for (const more of [{ email_verified: false }, { email_verified: undefined }, { email: undefined }]) {
      const browser = new TestBrowser(world)
      const { reply } = await through(browser, known('bob', more))
      assert.equal(reply.status, 403)
      assert.equal(browser.session, undefined)
    }
    assert.equal((await world.db.query.selectFrom('person').selectAll().execute()).length, 0)
  })

  test('can be visited in several tabs at once, each of which comes back', async () => {
    const world = await openWith(open)
    const browser = new TestBrowser(world)
    const name = known('ada')
    const gone: string[] = []
    for (let tab = 0; tab < 3; tab++) gone.push(String((await browser.get('/console/login/oidc')).headers.location))
    // Meanwhile the login page of another tab asks for a passkey.
    assert.equal((await browser.api('POST', '/console/login/passkey/options', {})).status, 200)
    for (const url of gone.toReversed()) assert.equal((await answered(browser, url, name)).reply.status, 303)
    const states = gone.map((url) => new URL(url).searchParams.get('state'))
    assert.equal(new Set(states).size, 3)
    const nonces = gone.map((url) => new URL(url).searchParams.get('nonce'))
    assert.equal(new Set(nonces).size, 3)
  })

  test('does not prove anew who somebody is by letting in whoever has the browser', async () => {
    const world = await openWith(open)
    const browser = new TestBrowser(world)
    await through(browser, known('ada'))
    const begin = () => browser.api('POST', `${own}/account/totp`, {})
    assert.notEqual((await begin()).status, 403)
    // The provider is not asked for the time of the sign-in, so it does not say it.
    const silent = new TestBrowser(world)
    await through(silent, 'ada', '', ({ searchParams }) => searchParams.delete('max_age'))
    assert.equal(await emailOf(silent), 'ada@example.com')
    const refused = await silent.api('POST', `${own}/account/totp`, {})
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'elevation_required'])
  })

  test('can be the only way in', async () => {
    const world = await openWith(open, {}, {}, true)
    const { text } = await new TestBrowser(world).get('/console/login')
    assert.ok(
      !text.includes('name="password"') && !text.includes('data-passkey') && text.includes('/console/login/oidc'),
    )
    // A link of an earlier start makes no account that could not sign in.
    const code = (await makeSetupLink(world.db))!
    const stranger = new TestBrowser(world)
    const page = await stranger.get('/console/setup')
    assert.match(page.text, /--oidc-admins/)
    assert.doesNotMatch(page.text, /name="(password|code)"/)
    const setup = await stranger.post('/console/setup', { code, name: 'Jana', email: adminEmail, password })
    assert.deepEqual([setup.status, stranger.session], [403, undefined])
    const fields = { code, name: 'Jana', email: adminEmail }
    assert.equal((await stranger.api('POST', '/console/setup/passkey/options', fields)).status, 403)
    assert.equal(await personByEmail(world.db.query, adminEmail), undefined)
    await world.db.transact((tx) => createPerson(tx, { email: adminEmail, name: 'Jana', installationRole: 'admin' }))
    const refused = await signIn(new TestBrowser(world))
    assert.equal(refused.status, 403)
    assert.equal((await new TestBrowser(world).api('POST', '/console/login/passkey/options', {})).status, 404)
    assert.equal((await new TestBrowser(world).post('/console/reset', { email: adminEmail })).status, 403)
    const person = await personByEmail(world.db.query, adminEmail)
    const mailed = await world.db.transact((tx) => makeLink(tx, { kind: 'reset', personId: person!.id, forMs: 60_000 }))
    assert.equal((await new TestBrowser(world).post('/console/reset/password', { code: mailed, go: '1' })).status, 403)
  })

  test('that cannot be reached is said so, and nothing else breaks', async () => {
    const world = await openWith(open, { issuer: 'http://127.0.0.1:9' })
    const browser = new TestBrowser(world)
    assert.equal((await browser.get('/console/login/oidc')).status, 502)
    assert.equal((await browser.get('/console/login/oidc/callback?code=x&state=y')).status, 403)
    assert.equal((await browser.get('/console/login')).status, 200)
  })
})
