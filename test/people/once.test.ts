/** What counts once counts once, also at the same moment, from two connections and in two processes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createProject } from '../../src/kernel/access/projects.ts'
import { timestamp } from '../../src/kernel/process/clock.ts'
import { makeLink } from '../../src/people/sessions/link-store.ts'
import { makePersonLink } from '../../src/people/sessions/resets.ts'
import { makeSetupLink, makeTesterLink } from '../../src/people/setup.ts'
import { forDatabasesInTurn, type Open, type World } from '../kit/harness.ts'
import { Authenticator } from './kit/authenticator.ts'
import { adminEmail, own, password, type Reply, setUp, signIn, TestBrowser } from './kit/browser.ts'
import { type FalseProvider, startFalseProvider } from './kit/false-provider.ts'
import { code, withCodes, withPasskey } from './kit/second-factors.ts'

let provider: FalseProvider
before(async () => {
  provider = await startFalseProvider()
})
after(() => provider.stop())

/** An installation and, where the database allows it, its second process. */
async function openTwo(open: Open): Promise<[World, World]> {
  const oidc = { issuer: provider.issuer, clientId: 'wolke', clientSecret: 'any', admins: [], groups: [] }
  const world = await open({ runActions: false, people: { oidc } })
  world.clock.set(new Date().toISOString())
  if (world.engineName === 'sqlite') return [world, world]
  return [world, await open({ runActions: false, people: { oidc }, database: world.database, clock: world.clock })]
}

/** The same browser, as far as another process knows it: cookies do not tell ports apart. */
const beside = (browser: TestBrowser, world: World) => browser.copy(world)

/** Uses a secret twice at the same moment, and then once more; says how often it was let in. */
async function usedAtOnce(uses: readonly (() => Promise<Reply>)[], isIn: (reply: Reply) => boolean) {
  const replies = await Promise.all(uses.map((use) => use()))
  replies.push(await uses[0]!())
  for (const { status, text } of replies) assert.ok(status < 500, text)
  return replies.filter(isIn).length
}

const toConsole = ({ status, headers }: Reply) =>
  status === 303 && /^\/console(\/projects\/\d+)?$/.test(String(headers.location))

forDatabasesInTurn('a secret that counts once', (open) => {
  test('is used once: links that set up, let in testers, and set passwords', async () => {
    const [one, two] = await openTwo(open)
    const setup = (await makeSetupLink(one.db))!
    const fields = { name: 'Jana Nord', password }
    const settingUp = [one, two].map((world, n) => () => {
      return new TestBrowser(world).post('/console/setup', { ...fields, code: setup, email: `jana${n}@example.com` })
    })
    assert.equal(await usedAtOnce(settingUp, toConsole), 1)
    const entering = await makeTesterLink(one.db)
    const enter = [one, two].map((world) => () => new TestBrowser(world).post('/console/enter', { code: entering }))
    assert.equal(await usedAtOnce(enter, toConsole), 1)
    const { id } = await one.db.query
      .selectFrom('person')
      .select('id')
      .where('name', '=', 'Jana Nord')
      .executeTakeFirstOrThrow()
    const mailed = await one.db.transact((tx) => makeLink(tx, { kind: 'reset', personId: id, forMs: 60_000 }))
    for (const link of [await makePersonLink(one.db, id), mailed]) {
      // The second one was dropped by the first, so it is made anew.
      const fresh =
        link === mailed
          ? await one.db.transact((tx) => makeLink(tx, { kind: 'reset', personId: id, forMs: 60_000 }))
          : link
      const reset = [one, two].map((world) => () => {
        return new TestBrowser(world).post('/console/reset/password', { code: fresh, go: '1', password })
      })
      assert.equal(await usedAtOnce(reset, toConsole), 1)
    }
  })

  test('is used once: invitations, with a new account and with one that is there', async () => {
    const [one, two] = await openTwo(open)
    const { id } = await one.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const jana = await setUp(one)
    const invite = async (email: string) => {
      const made = await jana.api('POST', `${own}/projects/${id}/invitations`, { email, role: 'viewer' })
      return made.body.link.split('#')[1] as string
    }
    const anew = await invite('eva@example.com')
    const accept = [one, two].map((world, n) => () => {
      return new TestBrowser(world).post('/console/invite/accept', { code: anew, name: `Eva ${n}`, password })
    })
    assert.equal(await usedAtOnce(accept, toConsole), 1)
    const again = await invite('eva@example.com')
    const eva = new TestBrowser(one)
    await signIn(eva, 'eva@example.com')
    const known = [eva, beside(eva, two)].map((browser) => () => {
      return browser.api('POST', `${own}/account/invitations/accept`, { code: again })
    })
    assert.equal(await usedAtOnce(known, ({ status }) => status === 200), 1)
  })

  test('is used once: the ticket of one-time codes, each code, recovery codes, and half-finished sign-ins', async () => {
    const [one, two] = await openTwo(open)
    const jana = await setUp(one)
    const { totp } = (await jana.api('POST', `${own}/account/totp`)).body
    const body = { ticket: totp.ticket, code: code(one, totp.secret) }
    const confirm = (browser: TestBrowser) => browser.api('POST', `${own}/account/totp/confirm`, body)
    const confirming = [jana, beside(jana, two)].map((browser) => () => confirm(browser))
    assert.equal(await usedAtOnce(confirming, ({ status }) => status === 201), 1)
    // The session has another secret since, in the browser whose answer came with it.
    const { secret, recovery } = await withCodesAnew(one)
    const half = async (world: World) => {
      const browser = new TestBrowser(world)
      assert.equal((await signIn(browser)).headers.location, '/console/login/second')
      return browser
    }
    const answer = (browser: TestBrowser, given: string) => browser.post('/console/login/second', { code: given })
    one.clock.advance(60_000)
    const right = code(one, secret)
    const halves = [await half(one), await half(two)]
    assert.equal(
      await usedAtOnce(
        halves.map((browser) => () => answer(browser, right)),
        toConsole,
      ),
      1,
    )
    const others = [await half(one), await half(two)]
    assert.equal(
      await usedAtOnce(
        others.map((browser) => () => answer(browser, recovery[0]!)),
        toConsole,
      ),
      1,
    )
    const step = await half(one)
    const both = [step, beside(step, two)].map((browser, n) => () => answer(browser, recovery[n + 1]!))
    assert.equal(await usedAtOnce(both, toConsole), 1)
    const session = new TestBrowser(one)
    await signIn(session)
    assert.equal((await answer(session, recovery[3]!)).status, 303)
    one.clock.advance(60_000)
    const proof = code(one, secret)
    const elevate = [session, beside(session, two)].map((browser) => () => {
      return browser.api('POST', `${own}/account/elevate`, { code: proof })
    })
    assert.equal(await usedAtOnce(elevate, ({ status }) => status === 200), 1)
  })

  test('a ticket of one-time codes makes no used code count again', async () => {
    const world = await open({ runActions: false })
    const jana = await setUp(world)
    const { secret, totp } = await withCodes(world, jana)
    const first = code(world, secret)
    world.clock.advance(30_000)
    const used = code(world, secret)
    assert.equal((await jana.api('POST', `${own}/account/elevate`, { code: used })).status, 200)
    // The code that confirmed it is still within the drift of clocks.
    const again = await jana.api('POST', `${own}/account/totp/confirm`, { ticket: totp.ticket, code: first })
    assert.deepEqual([again.status, again.body.error.code], [422, 'invalid_input'])
    assert.equal((await jana.api('POST', `${own}/account/elevate`, { code: used })).status, 403)
  })

  test('is used once: challenges of passkeys, and answers of the identity provider', async () => {
    const [one, two] = await openTwo(open)
    const jana = await setUp(one)
    const { authenticator } = await withPasskey(jana)
    const browser = new TestBrowser(one)
    const { challenge } = (await browser.api('POST', '/console/login/passkey/options', {})).body
    const other = beside(browser, two)
    const entering = [browser, other].map((from) => {
      const answered = authenticator.get({ challenge, origin: from.origin, rpId: 'localhost' })
      return () => from.api('POST', '/console/login/passkey', answered)
    })
    assert.equal(await usedAtOnce(entering, ({ status }) => status === 200), 1)
    const { options } = (await jana.api('POST', `${own}/account/passkeys/options`)).body
    const adding = [jana, beside(jana, two)].map((from) => {
      const made = new Authenticator().create({ challenge: options.challenge, origin: from.origin, rpId: 'localhost' })
      return () => from.api('POST', `${own}/account/passkeys`, { name: 'Phone', response: made })
    })
    assert.equal(await usedAtOnce(adding, ({ status }) => status === 201), 1)
    const visitor = new TestBrowser(one)
    const gone = await visitor.get('/console/login/oidc', { 'sec-fetch-site': 'same-origin' })
    const claims = { sub: 'eva', email: 'eva@example.com', email_verified: true }
    const way = provider.wayBack(String(gone.headers.location), { claims })
    const back = [visitor, beside(visitor, two)].map((from) => () => from.get(way))
    assert.equal(await usedAtOnce(back, toConsole), 1)
  })
})

/** Signs in by a link of the operator, and turns one-time codes on anew. */
async function withCodesAnew(world: World) {
  const person = await world.db.query
    .selectFrom('person')
    .select('id')
    .where('email', '=', adminEmail)
    .executeTakeFirstOrThrow()
  const browser = new TestBrowser(world)
  await browser.post('/console/reset/password', { code: await makePersonLink(world.db, person.id), go: '1', password })
  const { totp } = (await browser.api('POST', `${own}/account/totp`)).body
  const ticket = { ticket: totp.ticket, code: code(world, totp.secret) }
  assert.equal((await browser.api('POST', `${own}/account/totp/confirm`, ticket)).status, 201)
  const { recovery_codes } = (await browser.api('POST', `${own}/account/recovery_codes`)).body
  return { secret: totp.secret as string, recovery: recovery_codes as string[] }
}
