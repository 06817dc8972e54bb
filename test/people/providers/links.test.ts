/** Who an identity at a provider belongs to: linked by its person, to one account, by no trick. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import {
  answered,
  begin,
  besideProvider,
  emailOf,
  known,
  linkTo,
  openWith,
  provider,
  through,
} from '../kit/at-provider.ts'
import { adminEmail, own, password, setUp, signIn, TestBrowser } from '../kit/browser.ts'

besideProvider('an identity', (open) => {
  test('an address alone leads into no account: its person has to link the identity after signing in', async () => {
    const world = await openWith(open)
    const admin = await setUp(world)
    const name = known('jana', { email: adminEmail })
    const thief = new TestBrowser(world)
    const { reply } = await through(thief, name)
    assert.deepEqual([reply.status, thief.session], [403, undefined])
    assert.match(reply.text, /sign in to it as before/)
    assert.equal((await begin(new TestBrowser(world))).status, 401)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': '', origin: 'http://evil.example' },
    ]) {
      const foreign = await admin.api('POST', `${own}/account/identities`, undefined, headers)
      assert.equal(foreign.status, 403)
    }
    const linked = await linkTo(admin, name)
    assert.equal(linked.headers.location, '/console/account/security')
    const later = new TestBrowser(world)
    await through(later, name)
    assert.equal(await emailOf(later), adminEmail)
  })

  test('is linked by who is freshly proven and still signed in, belongs to one account, and can be removed', async () => {
    const world = await openWith(open)
    const admin = await setUp(world)
    const name = known('jana', { email: 'jana@elsewhere.example' })
    const { url } = (await begin(admin)).body
    assert.ok(url.startsWith(provider.issuer))
    // Whoever links sees who they are there, even when the browser is signed in there already.
    assert.equal(new URL(url).searchParams.get('prompt'), 'login')
    // Somebody signed out, or had the session ended, before the provider answered.
    const late = admin.copy(world)
    await admin.post('/console/logout')
    assert.equal((await answered(late, url, name)).reply.status, 403)
    const again = new TestBrowser(world)
    await signIn(again)
    world.clock.advance(10 * 60_000)
    assert.equal((await begin(again)).body.error.code, 'elevation_required')
    const proven = await again.api('POST', `${own}/account/elevate`, { password })
    assert.equal(proven.status, 200, proven.text)
    const done = await linkTo(again, name)
    assert.equal(done.headers.location, '/console/account/security', done.text)
    // It is somebody's now: another person cannot link it as well.
    const eva = new TestBrowser(world)
    const { link: way } = (await again.api('POST', `${own}/people`, { email: 'eva@example.com' })).body
    await eva.post('/console/reset/password', { code: way.split('#')[1], go: '1', password })
    const taken = await linkTo(eva, name)
    assert.equal(taken.status, 403)
    assert.match(taken.text, /belongs to an account already[\s\S]*href="\/console\/account\/security"/)
    assert.equal(await emailOf(eva), 'eva@example.com')
    const { credentials } = (await again.api('GET', `${own}/account/credentials`)).body
    const { id } = credentials.find(({ kind }: { kind: string }) => kind === 'oidc')
    assert.equal((await again.api('DELETE', `${own}/account/credentials/${id}`)).status, 204)
    assert.equal((await through(new TestBrowser(world), name)).reply.status, 303)
    assert.equal((await world.db.query.selectFrom('person').selectAll().execute()).length, 3)
    const links = async () =>
      (await again.api('GET', `${own}/audit?operation=link%20identity`)).body.audit.map(
        ({ actor, outcome }: { actor: { name: string }; outcome: string }) => [actor.name, outcome],
      )
    await until(async () => (await links()).length === 2, 'the refusal is recorded')
    assert.deepEqual(await links(), [
      ['eva@example.com', 'uniqueness_error'],
      [adminEmail, 'ok'],
    ])
    // What was refused is recorded after its answer.
    await world.app.auditLog.flush()
    const { audit } = (await again.api('GET', `${own}/audit?operation=/account/identities`)).body
    const outcomes = audit.map(({ outcome }: { outcome: string }) => outcome)
    assert.deepEqual(outcomes.toSorted(), ['elevation_required', 'ok', 'ok', 'ok'])
  })

  test('no link makes somebody share the account with whom the browser is signed in to the provider as', async () => {
    const world = await openWith(open)
    const victim = await setUp(world)
    const mallory = known('mallory')
    const evil = '/console/login/oidc?link'
    const page = await new TestBrowser(world).get(`/console/login?${new URLSearchParams({ next: evil })}`, {
      'sec-fetch-site': 'cross-site',
    })
    assert.match(page.text, /name="next" value="\/console"/)
    const entered = await victim.post('/console/login', { email: adminEmail, password, next: evil })
    assert.deepEqual([entered.status, entered.headers.location], [303, '/console'])
    // Even when the victim gets there with a fresh proof, from a page of ours.
    for (const query of ['?link', '?link&fresh', '?fresh&next=/console/login/oidc?link']) {
      const visitor = victim.copy(world)
      await through(visitor, mallory, query)
      assert.notEqual(await emailOf(visitor), adminEmail, query)
    }
    assert.equal(
      (await world.db.query.selectFrom('credential').selectAll().where('kind', '=', 'oidc').execute()).length,
      1,
    )
    const attacker = new TestBrowser(world)
    await through(attacker, mallory)
    assert.equal(await emailOf(attacker), 'mallory@example.com')
  })
})
