/** Signing in through an identity provider: a real one, with real redirects and signatures. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createProject, renameProject } from '../../src/kernel/access/projects.ts'
import { timestamp } from '../../src/kernel/process/clock.ts'
import { makeLink } from '../../src/people/link-store.ts'
import { addMember } from '../../src/people/membership-store.ts'
import type { OidcOptions } from '../../src/people/oidc.ts'
import { createPerson, personByEmail } from '../../src/people/person-store.ts'
import { makeSetupLink } from '../../src/people/setup.ts'
import type { LoggedEntry } from '../audit-log.ts'
import { until } from '../bare-database.ts'
import { forEachDatabase, type Open, type World, type WorldOptions } from '../harness.ts'
import { adminEmail, own, password, setUp, signIn, TestBrowser } from './browser.ts'
import { client, type RunningProvider, startProvider } from './provider.ts'

let provider: RunningProvider

before(async () => {
  provider = await startProvider()
})
after(() => provider.stop())

async function openWith(open: Open, options: Partial<OidcOptions> = {}, more: WorldOptions = {}, isOidcOnly = false) {
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
async function through(browser: TestBrowser, name: string, query = '', change: (url: URL) => void = () => {}) {
  const gone = await browser.get(`/console/login/oidc${query}`, { 'sec-fetch-site': 'same-origin' })
  assert.equal(gone.status, 303, gone.text)
  const there = new URL(String(gone.headers.location))
  change(there)
  return answered(browser, there.href, name)
}

/** Signs in at the provider, where a browser was sent to, and comes back. */
async function answered(browser: TestBrowser, there: string, name: string) {
  const back = new URL(await provider.signIn(there, name))
  return { back, reply: await browser.get(back.pathname + back.search, { 'sec-fetch-site': 'cross-site' }) }
}

/** Asks for linking an identity, as the security settings do. */
const begin = (browser: TestBrowser) => browser.api('POST', `${own}/account/identities`)

/** Links an identity, and returns the answer to the way back. */
async function linkTo(browser: TestBrowser, name: string) {
  const gone = await begin(browser)
  assert.equal(gone.status, 201, gone.text)
  return (await answered(browser, gone.body.url, name)).reply
}

const emailOf = async (browser: TestBrowser) => (await browser.api('GET', `${own}/account`)).body.account?.email

function known(name: string, more: object = {}): string {
  provider.accounts.set(name, { email: `${name}@example.com`, email_verified: true, name: `Name of ${name}`, ...more })
  return name
}

forEachDatabase('an identity provider', (open) => {
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

  test('names administrators by verified address, and gives roles by group for as long as they are in it', async () => {
    const groups = [
      { group: 'ops', project: 'default', role: 'admin' },
      { group: 'staff', project: 'default', role: 'viewer' },
      { group: 'staff', project: 'nowhere', role: 'viewer' },
    ] as const
    const world: World = await openWith(open, { admins: ['root@example.com'], groups })
    const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const root = new TestBrowser(world)
    await through(root, known('root'))
    const { account } = (await root.api('GET', `${own}/account`)).body
    assert.equal(account.installation_role, 'admin')
    assert.equal((await root.api('GET', `/console/api/projects/${id}/v1/servers`)).status, 200)
    const roleOf = async (groupNames: readonly string[]) => {
      const browser = new TestBrowser(world)
      await through(browser, known('eve', { groups: groupNames }))
      const made = await browser.api('POST', `${own}/projects/${id}/invitations`, {
        email: 'x@example.com',
        role: 'viewer',
      })
      const read = await browser.api('GET', `/console/api/projects/${id}/v1/servers`)
      return [made.status, read.status]
    }
    assert.deepEqual(await roleOf(['staff', 'ops']), [201, 200])
    assert.deepEqual(await roleOf(['staff']), [403, 200])
    assert.deepEqual(await roleOf(['others']), [404, 404])
    assert.deepEqual(await roleOf(['others']), [404, 404])
    const { audit } = (await root.api('GET', `${own}/audit?family=people&per_page=1000`)).body
    const said = audit.map(({ actor, operation, project, resources, network }: LoggedEntry) => [
      ...[actor.name, operation, project?.name, resources[1], network],
    ])
    const [rights, at] = [said.filter(([, operation]: unknown[]) => operation !== 'sign in').reverse(), '127.0.0.1']
    assert.deepEqual(rights, [
      ['root@example.com', 'create account', undefined, undefined, at],
      ['root@example.com', 'become administrator', undefined, undefined, at],
      ['root@example.com', 'become owner', 'default', 'owner', at],
      ['eve@example.com', 'create account', undefined, undefined, at],
      ['eve@example.com', 'get role by group', 'default', 'admin', at],
      ['eve@example.com', 'get role by group', 'default', 'viewer', at],
      ['eve@example.com', 'lose role with group', 'default', 'viewer', at],
    ])
  })

  test('makes somebody who is known an administrator once, and lets in nobody who is disabled', async () => {
    const admins: string[] = []
    const world = await openWith(open, { admins })
    const admin = await setUp(world)
    const eve = new TestBrowser(world)
    await through(eve, known('eve'))
    admins.push('eve@example.com')
    for (let i = 0; i < 2; i++) await through(new TestBrowser(world), 'eve')
    const entries = async (query: string) => (await admin.api('GET', `${own}/audit?${query}`)).body.audit
    assert.equal((await entries('operation=become%20administrator')).length, 1)
    const { id } = (await eve.api('GET', `${own}/account`)).body.account
    await admin.api('PUT', `${own}/people/${id}`, { disabled: true })
    assert.equal((await through(new TestBrowser(world), 'eve')).reply.status, 403)
    const refused = () => entries('operation=sign%20in&outcome=forbidden&actor=eve@example.com')
    await until(async () => (await refused()).length === 1, 'the refusal is recorded')
  })

  test('ends roles that groups gave in Projects which are mapped no more', async () => {
    const groups: { group: string; project: string; role: 'viewer' }[] = [
      { group: 'staff', project: 'renamed', role: 'viewer' },
      { group: 'staff', project: 'left', role: 'viewer' },
    ]
    const world = await openWith(open, { groups })
    const make = (name: string) => world.db.transact((tx) => createProject(tx, name, timestamp(tx.now)))
    const made = [await make('renamed'), await make('left'), await make('by-hand')]
    const eve = known('eve', { groups: ['staff'] })
    const statuses = async () => {
      const browser = new TestBrowser(world)
      await through(browser, eve)
      const { id } = (await browser.api('GET', `${own}/account`)).body.account
      await world.db.transact((tx) => addMember(tx, { projectId: made[2]!.id }, id, 'viewer'))
      world.app.people.sessions.forget()
      const replies = made.map((one) => browser.api('GET', `/console/api/projects/${one.id}/v1/servers`))
      return (await Promise.all(replies)).map(({ status }) => status)
    }
    assert.deepEqual(await statuses(), [200, 200, 200])
    await world.db.transact((tx) => renameProject(tx, { projectId: made[0]!.id }, 'other'))
    assert.deepEqual(await statuses(), [404, 200, 200])
    groups.length = 0
    assert.deepEqual(await statuses(), [404, 404, 200])
  })

  test('takes nothing from who has become the owner of a Project, whatever the groups say then', async () => {
    const groups = [{ group: 'staff', project: 'shared', role: 'viewer' as const }]
    const world = await openWith(open, { groups })
    const { id } = await world.db.transact((tx) => createProject(tx, 'shared', timestamp(tx.now)))
    const jana = await setUp(world)
    const eve = new TestBrowser(world)
    await through(eve, known('eve', { groups: ['staff'] }))
    const eveId = (await eve.api('GET', `${own}/account`)).body.account.id as number
    const janaId = (await jana.api('GET', `${own}/account`)).body.account.id as number
    await world.db.transact((tx) => addMember(tx, { projectId: id }, janaId, 'owner'))
    world.app.people.sessions.forget()
    assert.equal((await jana.api('POST', `${own}/projects/${id}/transfer`, { person_id: eveId })).status, 200)
    for (const names of [['staff'], []]) {
      const again = new TestBrowser(world)
      await through(again, known('eve', { groups: names }))
      const { members } = (await again.api('GET', `${own}/projects/${id}/members`)).body
      const own1 = members.find(({ person_id }: { person_id: number }) => person_id === eveId)
      assert.equal(own1?.role, 'owner')
    }
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
