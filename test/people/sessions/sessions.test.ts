/** Sessions: their cookies, their ends, and how they are protected against theft and fixation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject } from '../../../src/kernel/access/projects.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import type { ProjectId } from '../../../src/kernel/scope.ts'
import { addMember } from '../../../src/people/memberships/membership-store.ts'
import { firstProject } from '../../kit/audit-log.ts'
import { everyTable } from '../../kit/database/schema.ts'
import { forDatabasesInTurn, forEachDatabase, type World } from '../../kit/harness.ts'
import { advanceTimer } from '../../kit/samples/timer.ts'
import { type Listener, listen } from '../../stubs/event-stream.ts'
import { adminEmail, own, password, type Reply, setUp, signIn, TestBrowser } from '../kit/browser.ts'
import { code, enter, withCodes, withPasskey } from '../kit/second-factors.ts'

const hour = 3_600_000

/** Lets a browser gain rights: by then it has another secret, and the one before does not count. */
async function gains<T>(world: World, browser: TestBrowser, what: string, gain: () => Promise<T>): Promise<T> {
  const before = browser.copy(world)
  const result = await gain()
  assert.notEqual(browser.session![1], before.session![1], what)
  assert.equal((await browser.api('GET', `${own}/whoami`)).status, 200, what)
  assert.equal((await before.api('GET', `${own}/whoami`)).status, 401, what)
  return result
}

forDatabasesInTurn('sessions', (open, inProcesses) => {
  test('their cookie is the one of this installation alone, guarded wherever browsers can guard it', async () => {
    const world = await open({ runActions: false, publicOrigins: ['https://cloud.example.com'] })
    await setUp(world)
    const { installation } = world.app.people
    const guarded = `__Host-wolke-${installation}`
    const cases = [
      ['localhost', undefined, guarded, true],
      [`wolke-${installation}.localhost`, undefined, guarded, true],
      ['127.0.0.1', undefined, guarded, true],
      ['cloud.example.com', '', guarded, true],
      ['192.0.2.7', undefined, `wolke-${installation}`, false],
    ] as const
    for (const [host, port, name, isSecure] of cases) {
      const browser = new TestBrowser(world, { host, ...(port === undefined ? {} : { port }) })
      const reply = await signIn(browser)
      assert.equal(reply.status, 303, host)
      const cookie = reply.cookies.find((one) => one.startsWith(`${name}=`))
      assert.ok(cookie, `${host}: ${reply.cookies}`)
      const attributes = cookie.split('; ').slice(1)
      for (const attribute of ['Path=/', 'HttpOnly', 'SameSite=Lax']) assert.ok(attributes.includes(attribute), host)
      assert.equal(attributes.includes('Secure'), isSecure, host)
      assert.ok(!attributes.some((attribute) => attribute.startsWith('Domain')), host)
      assert.equal((await browser.api('GET', `${own}/account`)).status, 200, host)
      const page = await browser.get('/console/logout')
      assert.equal(page.text.includes('not encrypted'), !isSecure, host)
    }
  })

  test('a cookie without the guarded name does not count where browsers keep guarded ones', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const [name, value] = browser.session!
    const thief = new TestBrowser(world)
    thief.jar.set(name.replace('__Host-', ''), value)
    assert.equal((await thief.api('GET', `${own}/account`)).status, 401)
    const twice = { cookie: `${name}=${value}; ${name}=x` }
    assert.equal((await new TestBrowser(world).api('GET', `${own}/account`, undefined, twice)).status, 401)
  })

  test('nobody proves something for the session of somebody else, with the cookies of two', async () => {
    const world = await open({ runActions: false, publicOrigins: ['https://cloud.example.com'] })
    const jana = await setUp(world)
    const [guarded, own1] = jana.session!
    const where = { host: '192.0.2.7' }
    const other = new TestBrowser(world, where)
    await signIn(other)
    const [plain, stolen] = other.session!
    assert.notEqual(guarded, plain)
    const thief = new TestBrowser(world, where)
    const cookie = `${guarded}=${own1}; ${plain}=${stolen}`
    const reply = await thief.api('POST', `${own}/account/elevate`, { password }, { cookie })
    assert.deepEqual([reply.status, reply.cookies], [401, []])
  })

  test('neighbours: another installation on this host neither reads nor overwrites the session', async () => {
    const [one, other] = [await open({ runActions: false }), await open({ runActions: false })]
    const browser = await setUp(one)
    const first = browser.session!
    const neighbour = await setUp(other)
    // Browsers send cookies to every port of a host.
    for (const [name, value] of neighbour.jar) browser.jar.set(name, value)
    for (const [name, value] of browser.jar) neighbour.jar.set(name, value)
    assert.notEqual(neighbour.jar.size, 1)
    assert.equal(browser.jar.get(first[0]), first[1])
    assert.equal((await browser.api('GET', `${own}/account`)).status, 200)
    assert.equal((await neighbour.api('GET', `${own}/account`)).status, 200)
    const alone = new TestBrowser(other)
    alone.jar.set(...first)
    assert.equal((await alone.api('GET', `${own}/account`)).status, 401)
  })

  test('fixation: every gain of rights gives another id, and the one before does not count', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const chosen = 'A'.repeat(43)
    const victim = new TestBrowser(world)
    victim.jar.set(browser.session![0], chosen)
    await signIn(victim)
    assert.notEqual(victim.session![1], chosen)
    const { secret } = await gains(world, browser, 'one-time codes', () => withCodes(world, browser))
    const { authenticator } = await gains(world, browser, 'a passkey', () => withPasskey(browser))
    const changed = 'acht grüne Tassen singen'
    const ways: Readonly<Record<string, () => Promise<Reply>>> = {
      'a proof': () => browser.api('POST', `${own}/account/elevate`, { password }),
      'a password': () => browser.api('PUT', `${own}/account/password`, { password: changed }),
      'the login again, with a second step': async () => {
        assert.match((await browser.get('/console/login?again')).text, /name="password"/)
        const first = await signIn(browser, adminEmail, changed)
        assert.equal(first.headers.location, '/console/login/second')
        world.clock.advance(30_000)
        return browser.post('/console/login/second', { code: code(world, secret) })
      },
      'the login again, with a passkey': () => enter(browser, authenticator),
      'an API token': () => browser.post('/console/login/token', { token: world.api.token! }),
      'the login after a token': async () => {
        await signIn(browser, adminEmail, changed)
        return enter(browser, authenticator)
      },
    }
    for (const [what, gain] of Object.entries(ways)) await gains(world, browser, what, gain)
  })

  test('a proof by logging in again leaves no older session behind, so logging out ends all of the browser', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const other = new TestBrowser(world)
    await signIn(other)
    const older = [browser.copy(world)]
    for (let times = 0; times < 2; times++) {
      await signIn(browser)
      older.push(browser.copy(world))
    }
    assert.equal((await browser.api('GET', `${own}/account/sessions`)).body.sessions.length, 2)
    await signIn(browser, adminEmail, 'a wrong password')
    assert.equal((await browser.api('GET', `${own}/account`)).status, 200)
    await browser.post('/console/logout')
    for (const one of older) assert.equal((await one.api('GET', `${own}/account`)).status, 401)
    assert.equal((await other.api('GET', `${own}/account`)).status, 200)
  })

  test('theft: the database holds no secret of a session, a link or an invitation', async () => {
    const world = await open({ runActions: false })
    const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const browser = await setUp(world)
    const link = await browser.api('POST', `${own}/people`, { email: 'new@example.com' })
    assert.equal(link.status, 201, link.text)
    const asked = { email: 'max@example.com', role: 'viewer' }
    const invitation = await browser.api('POST', `${own}/projects/${id}/invitations`, asked)
    assert.equal(invitation.status, 201, invitation.text)
    await withCodes(world, browser)
    const half = new TestBrowser(world)
    await signIn(half)
    await half.api('POST', '/console/login/passkey/options', {})
    const kept = [browser, half].flatMap(({ jar }) => [...jar])
    assert.deepEqual(kept.map(([name]) => name.replace(/^__Host-wolke-[0-9a-f]+/, '')).toSorted(), [
      '',
      '-step',
      '-try',
    ])
    const handed = [link, invitation].map(({ body }) => body.link.split('#')[1] as string)
    const tables = await everyTable(world.db)
    for (const table of ['session', 'person_link', 'invitation', 'sign_in', 'ceremony', 'audit']) {
      assert.ok(tables.get(table)!.length > 0, table)
    }
    const stored = JSON.stringify([...tables])
    for (const secret of [...kept.map(([, value]) => value), ...handed]) {
      assert.match(secret, /^[\w-]{43}$/)
      assert.ok(!stored.includes(secret))
    }
    assert.ok(!stored.includes(password))
  })

  inProcesses(() => {
    test('that were ended in one process end within 5 seconds in every other one', async (t) => {
      const world = await open({ runActions: false })
      const browser = await setUp(world)
      const other = await open({ runActions: false, database: world.database, clock: world.clock })
      const elsewhere = new TestBrowser(other)
      const thief = new TestBrowser(world)
      await signIn(thief)
      const [name, value] = thief.session!
      elsewhere.jar.set(name, value)
      const status = async () => (await elsewhere.api('GET', `${own}/account`)).status
      assert.equal(await status(), 200)
      assert.equal((await browser.api('DELETE', `${own}/account/sessions`)).status, 204)
      assert.equal((await thief.api('GET', `${own}/account`)).status, 401)
      advanceTimer(t, 5_000)
      assert.equal(await status(), 401)
    })
  })

  test('they are listed and can be ended, one or all others, and all others end at a change of the password', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const others = [new TestBrowser(world), new TestBrowser(world), new TestBrowser(world)]
    for (const other of others) await signIn(other)
    const { sessions } = (await browser.api('GET', `${own}/account/sessions`)).body
    assert.equal(sessions.length, 4)
    assert.deepEqual(
      sessions.map((one: { is_current: boolean }) => one.is_current),
      [false, false, false, true],
    )
    assert.equal((await browser.api('DELETE', `${own}/account/sessions/${sessions[0].id}`)).status, 204)
    assert.equal((await browser.api('DELETE', `${own}/account/sessions/${sessions[0].id}`)).status, 404)
    const alive = async () => Promise.all(others.map(async (one) => (await one.api('GET', `${own}/account`)).status))
    assert.deepEqual(await alive(), [200, 200, 401])
    const changed = await browser.api('PUT', `${own}/account/password`, { password: 'acht grüne Tassen singen' })
    assert.equal(changed.status, 204)
    assert.deepEqual(await alive(), [401, 401, 401])
    assert.equal((await browser.api('GET', `${own}/account`)).status, 200)
    await signIn(others[0]!, adminEmail, 'acht grüne Tassen singen')
    assert.equal((await browser.api('DELETE', `${own}/account/sessions`)).status, 204)
    assert.deepEqual(await alive(), [401, 401, 401])
    assert.equal((await browser.api('GET', `${own}/account`)).status, 200)
  })

  test('they end after 12 hours without use and after 30 days at last', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const statusAfter = async (hours: number) => {
      world.clock.advance(hours * hour)
      // What is known of a session counts for three real seconds.
      world.app.people.sessions.forget()
      return (await browser.api('GET', `${own}/account`)).status
    }
    assert.equal(await statusAfter(11), 200)
    assert.equal(await statusAfter(11), 200)
    assert.equal(await statusAfter(12), 401)
    await signIn(browser)
    for (let spent = 11; spent < 30 * 24; spent += 11) assert.equal(await statusAfter(11), 200, `${spent} h`)
    assert.equal(await statusAfter(11), 401)
  })

  test('an open stream of events, and what a page asks by itself, keep no session alive', async () => {
    const world = await open({ runActions: false, askAgainMs: 20 })
    const browser = await setUp(world)
    const projectId = (await firstProject(world)) as ProjectId
    const { id } = (await browser.api('GET', `${own}/account`)).body.account
    await world.db.transact((tx) => addMember(tx, { projectId }, id, 'viewer'))
    const headers = () => ({ cookie: browser.session!.join('='), origin: browser.origin, host: browser.host })
    const listeners: Listener[] = []
    // What is known of a session counts for three real seconds.
    const later = async (hours: number) => {
      world.clock.advance(hours * hour)
      world.app.people.sessions.forget()
      listeners.push(await listen(world, { headers: headers(), end: () => undefined }))
      return (await browser.api('GET', `${own}/whoami`, undefined, { 'wolke-background': '1' })).status
    }
    assert.deepEqual([await later(0), await later(11)], [200, 200])
    for (const { status } of listeners) assert.equal(status, 200)
    assert.equal(await later(1), 401)
    await Promise.all(listeners.slice(0, 2).map(({ ended }) => ended))
    assert.equal(listeners[2]!.status, 401)
  })

  test('logging out ends the session on the server and clears what the browser keeps', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const { recovery } = await withCodes(world, browser)
    // Somebody has begun to sign in anew, which has to end as well.
    await signIn(browser)
    const stolen = browser.copy(world)
    assert.equal((await browser.get('/console/logout')).status, 200)
    const reply = await browser.post('/console/logout')
    assert.deepEqual([reply.status, reply.headers.location], [303, '/console/login'])
    assert.match(String(reply.headers['clear-site-data']), /"cookies"/)
    assert.deepEqual([...browser.jar], [])
    assert.equal((await stolen.api('GET', `${own}/account`)).status, 401)
    const half = await stolen.post('/console/login/second', { code: recovery[0]! })
    assert.equal(half.headers.location, '/console/login')
  })

  test('elevation: what needs a fresh proof is refused 10 minutes after it, until there is another one', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const create = () => browser.api('POST', `${own}/people`, { email: `p${Math.random()}@example.com` })
    assert.equal((await create()).status, 201)
    world.clock.advance(10 * 60_000 + 1)
    const refused = await create()
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'elevation_required'])
    for (const proof of [{ password: 'not this one, surely' }, { code: '123456' }]) {
      const wrong = await browser.api('POST', `${own}/account/elevate`, proof)
      assert.deepEqual([wrong.status, wrong.body.error.code], [403, 'wrong_credentials'])
    }
    assert.equal((await browser.api('POST', `${own}/account/elevate`, {})).status, 422)
    assert.equal((await create()).status, 403)
    assert.equal((await browser.api('POST', `${own}/account/elevate`, { password })).status, 200)
    assert.equal((await create()).status, 201)
  })
})

forEachDatabase('people', (open) => {
  test('who are disabled are out at once, and cannot come back', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const { person, link } = (await browser.api('POST', `${own}/people`, { email: 'eva@example.com' })).body
    const eva = new TestBrowser(world)
    const code = link.split('#')[1]
    const set = await eva.post('/console/reset/password', { code, go: '1', password })
    assert.equal(set.status, 303, set.text)
    assert.equal((await eva.api('GET', `${own}/account`)).status, 200)
    const disabled = await browser.api('PUT', `${own}/people/${person.id}`, { disabled: true })
    assert.equal(disabled.status, 200)
    assert.equal((await eva.api('GET', `${own}/account`)).status, 401)
    assert.equal((await signIn(eva, 'eva@example.com')).status, 401)
    const me = (await browser.api('GET', `${own}/account`)).body.account.id
    const last = await browser.api('PUT', `${own}/people/${me}`, { disabled: true })
    assert.deepEqual([last.status, last.body.error.code], [422, 'last_admin'])
    const without = await browser.api('PUT', `${own}/people/${me}`, { installation_role: 'none' })
    assert.deepEqual([without.status, without.body.error.code], [422, 'last_admin'])
    const relinked = await browser.api('POST', `${own}/people/${person.id}/link`)
    assert.deepEqual([relinked.status, relinked.body.error.code], [422, 'person_disabled'])
    const lesser = await eva.api('GET', `${own}/people`)
    assert.equal(lesser.status, 401)
    await browser.api('PUT', `${own}/people/${person.id}`, { disabled: false })
    assert.equal((await signIn(eva, 'eva@example.com')).status, 303)
    assert.equal((await eva.api('GET', `${own}/people`)).body.error.code, 'forbidden')
  })

  test('keep the name, the language and the theme that they choose', async () => {
    const browser = await setUp(await open({ runActions: false }))
    const chosen = { name: 'Jana', language: 'de', theme: 'dark' }
    assert.equal((await browser.api('PUT', `${own}/account`, chosen)).status, 200)
    const { name, language, theme } = (await browser.api('GET', `${own}/account`)).body.account
    assert.deepEqual({ name, language, theme }, chosen)
  })
})
