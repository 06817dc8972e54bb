/** Whose an address is: an account that somebody else made for it does not stay theirs. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createProject } from '../../../src/kernel/access/projects.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import { stepAt, totpCode } from '../../../src/people/credentials/totp.ts'
import { makeLink } from '../../../src/people/sessions/link-store.ts'
import { makePersonLink } from '../../../src/people/sessions/resets.ts'
import { until } from '../../kit/database/bare-database.ts'
import { forDatabasesInTurn, type World, type WorldOptions } from '../../kit/harness.ts'
import { Authenticator } from '../kit/authenticator.ts'
import { own, password, setUp, signIn, TestBrowser } from '../kit/browser.ts'
import { client, type RunningProvider, startProvider } from '../kit/provider.ts'

let provider: RunningProvider
before(async () => {
  provider = await startProvider()
})
after(() => provider.stop())

const boss = 'boss@corp.example'
const fresh = 'acht grüne Tassen singen'

/** What an installation with an identity provider is opened with. */
function withProvider(): WorldOptions {
  const { issuer } = provider
  const oidc = { issuer, clientId: client.client_id, clientSecret: client.client_secret, admins: [], groups: [] }
  return { runActions: false, people: { oidc, isOidcOnly: false } }
}

/** Signs in through the provider. */
async function through(world: World, name: string): Promise<TestBrowser> {
  const browser = new TestBrowser(world)
  provider.allow(`http://localhost:${new URL(world.baseUrl).port}/console/login/oidc/callback`)
  const gone = await browser.get('/console/login/oidc', { 'sec-fetch-site': 'same-origin' })
  const back = new URL(await provider.signIn(String(gone.headers.location), name))
  await browser.get(back.pathname + back.search, { 'sec-fetch-site': 'cross-site' })
  return browser
}

/** An installation without mail whose admin invites somebody and keeps the account for himself, with a passkey. */
async function squatted(world: World) {
  const { id: project } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
  const admin = await setUp(world)
  const invited = { email: boss, role: 'admin' }
  const { link } = (await admin.api('POST', `${own}/projects/${project}/invitations`, invited)).body
  const thief = new TestBrowser(world)
  const code = link.split('#')[1]
  assert.equal((await thief.post('/console/invite/accept', { code, name: 'Boss', password })).status, 303)
  const authenticator = new Authenticator()
  const rpId = 'localhost'
  const { options } = (await thief.api('POST', `${own}/account/passkeys/options`)).body
  const response = authenticator.create({ challenge: options.challenge, origin: thief.origin, rpId })
  assert.equal((await thief.api('POST', `${own}/account/passkeys`, { name: 'Laptop', response })).status, 201)
  const { id } = (await thief.api('GET', `${own}/account`)).body.account
  const enter = async () => {
    const browser = new TestBrowser(world)
    const { challenge } = (await browser.api('POST', '/console/login/passkey/options', {})).body
    return browser.api('POST', '/console/login/passkey', authenticator.get({ challenge, origin: browser.origin, rpId }))
  }
  assert.equal((await enter()).status, 200)
  return { admin, thief, project, id: id as number, enter }
}

/** Whether admins are told that a person is verified, in both lists. */
async function shownAs(admin: TestBrowser, project: number): Promise<boolean[]> {
  const { people } = (await admin.api('GET', `${own}/people`)).body
  const { members } = (await admin.api('GET', `${own}/projects/${project}/members`)).body
  return [...people, ...members]
    .filter(({ email }: { email: string }) => email === boss)
    .map(({ is_verified }: { is_verified: boolean }) => is_verified)
}

const kindsOf = async (browser: TestBrowser) =>
  (await browser.api('GET', `${own}/account/credentials`)).body.credentials.map(({ kind }: { kind: string }) => kind)

forDatabasesInTurn('an address that nobody has shown to be theirs', (open) => {
  test('is told of, and a link of the operator leaves nobody else in the account', async () => {
    const world = await open({ runActions: false })
    const { admin, thief, project, id, enter } = await squatted(world)
    assert.deepEqual(await shownAs(admin, project), [false, false])
    const use = async (secret: string) => {
      const browser = new TestBrowser(world)
      const code = await makePersonLink(world.db, id)
      assert.equal((await browser.post('/console/reset/password', { code, go: '1', password: secret })).status, 303)
      return browser
    }
    const reset = await world.db.transact((tx) => makeLink(tx, { kind: 'reset', personId: id, forMs: 60_000 }))
    const owner = await use(fresh)
    assert.deepEqual(await kindsOf(owner), ['password'])
    assert.equal((await thief.api('GET', `${own}/account`)).status, 401)
    assert.equal((await enter()).status, 401)
    const late = await new TestBrowser(world).post('/console/reset/password', { code: reset, go: '1', password })
    assert.equal(late.status, 403)
    assert.equal((await signIn(new TestBrowser(world), boss, fresh)).headers.location, '/console')
    assert.deepEqual(await shownAs(admin, project), [true, true])
    const { audit } = (await admin.api('GET', `${own}/audit?operation=verify%20address`)).body
    assert.deepEqual([audit.length, audit[0].actor.name, audit[0].network], [1, boss, '127.0.0.1'])
    // From now on a link sets the password, and nothing else.
    const { totp } = (await owner.api('POST', `${own}/account/totp`)).body
    const code = totpCode(totp.secret, stepAt(world.clock.now()))
    assert.equal((await owner.api('POST', `${own}/account/totp/confirm`, { ticket: totp.ticket, code })).status, 201)
    assert.deepEqual(await kindsOf(await use(password)), ['password', 'totp'])
  })

  test('lets in whom the identity provider knows by it, alone, with the Projects of the account', async () => {
    const world = await open(withProvider())
    world.clock.set(new Date().toISOString())
    const { admin, thief, project, id, enter } = await squatted(world)
    const unsure = { email: boss, email_verified: false }
    provider.accounts.set('unsure', unsure)
    assert.equal((await through(world, 'unsure')).session, undefined)
    provider.accounts.set('boss', { ...unsure, email_verified: true })
    const owner = await through(world, 'boss')
    assert.equal((await owner.api('GET', `${own}/account`)).body.account?.id, id)
    assert.deepEqual(await kindsOf(owner), ['oidc'])
    assert.equal((await owner.api('GET', `/console/api/projects/${project}/v1/servers`)).status, 200)
    assert.equal((await thief.api('GET', `${own}/account`)).status, 401)
    assert.deepEqual([(await enter()).status, (await signIn(thief, boss)).status], [401, 401])
    assert.deepEqual(await shownAs(admin, project), [true, true])
    provider.accounts.set('other', { ...unsure, email_verified: true })
    assert.equal((await through(world, 'other')).session, undefined, 'whoever comes later has to link')
    assert.ok((await through(world, 'boss')).session)
  })

  test('is shown by mail, which replaces no second factor', async () => {
    const sent: { recipient: string; content: { facts: Readonly<Record<string, string>> } }[] = []
    const mail = { send: async (one: (typeof sent)[number]) => void sent.push(one) }
    const world = await open({ runActions: false, publicOrigins: ['https://cloud.example.com'], mail })
    const { id: project } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const admin = await setUp(world)
    await admin.api('POST', `${own}/projects/${project}/invitations`, { email: boss, role: 'viewer' })
    await until(() => sent.length === 1, 'the invitation is sent')
    const browser = new TestBrowser(world)
    const code = sent[0]!.content.facts.Link!.split('#')[1]!
    assert.equal((await browser.post('/console/invite/accept', { code, name: 'Boss', password })).status, 303)
    assert.deepEqual(await shownAs(admin, project), [true, true])
    // As if the invitation had not gone by mail.
    const { id } = (await browser.api('GET', `${own}/account`)).body.account
    await world.db.transact((tx) =>
      tx.query.updateTable('person').set({ verified: null }).where('id', '=', id).execute(),
    )
    const reset = async (secret: string) => {
      const made = await world.db.transact((tx) => makeLink(tx, { kind: 'reset', personId: id, forMs: 60_000 }))
      return new TestBrowser(world).post('/console/reset/password', { code: made, go: '1', password: secret })
    }
    const { totp } = (await browser.api('POST', `${own}/account/totp`)).body
    const now = totpCode(totp.secret, stepAt(world.clock.now()))
    const given = { ticket: totp.ticket, code: now }
    assert.equal((await browser.api('POST', `${own}/account/totp/confirm`, given)).status, 201)
    assert.equal((await reset(fresh)).headers.location, '/console/login/second')
    assert.deepEqual(await shownAs(admin, project), [false, false])
    await world.db.transact((tx) => tx.query.deleteFrom('credential').where('kind', '=', 'totp').execute())
    assert.equal((await reset(password)).headers.location, '/console')
    assert.deepEqual(await shownAs(admin, project), [true, true])
  })
})
