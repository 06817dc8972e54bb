/** Second factors and passkeys, with real codes and real signatures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump } from '../../kit/database/dump.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { Authenticator } from '../kit/authenticator.ts'
import { adminEmail, own, password, setUp, signIn, TestBrowser } from '../kit/browser.ts'
import { code, enter, withCodes, withPasskey } from '../kit/second-factors.ts'

forEachDatabase('one-time codes', (open) => {
  test('are asked for after the password; until then there is no session', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const { secret, recovery, totp } = await withCodes(world, browser)
    assert.match(totp.uri, /^otpauth:\/\/totp\/Wolke:jana%40nordlicht\.example\?secret=[A-Z2-7]{32}&issuer=Wolke$/)
    assert.match(totp.qr_svg, /^<svg [^>]+><path [^>]+><path [^>]+><\/svg>$/)
    assert.equal(recovery.length, 10)
    const stored = await dump(world.db)
    for (const hidden of [secret, ...recovery, ...recovery.map((one) => one.replaceAll('-', ''))]) {
      assert.ok(!stored.includes(hidden))
    }
    const other = new TestBrowser(world)
    const first = await signIn(other)
    assert.deepEqual([first.status, first.headers.location, other.session], [303, '/console/login/second', undefined])
    assert.equal((await other.api('GET', `${own}/account`)).status, 401)
    assert.match((await other.get('/console/login/second')).text, new RegExp(adminEmail))
    assert.equal((await other.post('/console/login/second', { code: '000000' })).status, 401)
    world.clock.advance(30_000)
    const second = await other.post('/console/login/second', { code: code(world, secret) })
    assert.deepEqual([second.status, second.headers.location], [303, '/console'])
    assert.equal((await other.api('GET', `${own}/account`)).status, 200)
    // Besides the session there is only what tells this browser apart when it answers challenges.
    const [session] = other.session!
    assert.deepEqual([...other.jar.keys()].toSorted(), [session, `${session}-try`])
  })

  test('count once each, and the half-finished sign-in too', async () => {
    const world = await open({ runActions: false })
    const { secret, recovery } = await withCodes(world, await setUp(world))
    world.clock.advance(60_000)
    const [one, other, third] = [new TestBrowser(world), new TestBrowser(world), new TestBrowser(world)]
    for (const browser of [one, other, third]) await signIn(browser)
    const used = code(world, secret)
    const before = one.copy(world)
    assert.equal((await one.post('/console/login/second', { code: used })).status, 303)
    assert.equal((await other.post('/console/login/second', { code: used })).status, 401)
    assert.equal(
      (await before.post('/console/login/second', { code: recovery[0]! })).headers.location,
      '/console/login',
    )
    assert.equal((await other.post('/console/login/second', { code: recovery[1]!.toUpperCase() })).status, 303)
    assert.equal((await third.post('/console/login/second', { code: recovery[1]! })).status, 401)
    assert.equal((await third.post('/console/login/second', { code: recovery[2]! })).status, 303)
    const left = (await third.api('GET', `${own}/account/credentials`)).body.recovery_codes_left
    assert.equal(left, 8)
    const late = new TestBrowser(world)
    await signIn(late)
    world.clock.advance(10 * 60_000)
    assert.equal(
      (await late.post('/console/login/second', { code: code(world, secret) })).headers.location,
      '/console/login',
    )
  })

  test('cannot be guessed: after ten tries each one has to wait', async () => {
    const world = await open({ runActions: false })
    const { secret } = await withCodes(world, await setUp(world))
    world.clock.advance(60_000)
    const attacker = new TestBrowser(world)
    await signIn(attacker)
    for (let i = 0; i < 10; i++) {
      assert.equal((await attacker.post('/console/login/second', { code: String(100_000 + i) })).status, 401)
    }
    assert.equal((await attacker.post('/console/login/second', { code: code(world, secret) })).status, 429)
  })

  test('are counted across networks, at the second step and as a proof together: fifty are free', async () => {
    const world = await open({ runActions: false, trustedProxies: ['127.0.0.1', '::1'] })
    const browser = await setUp(world)
    const { secret } = await withCodes(world, browser)
    world.clock.advance(30_000)
    const half = new TestBrowser(world)
    await signIn(half)
    const from = (n: number) => ({ 'x-forwarded-for': `2001:db8:0:${n.toString(16)}::1` })
    const prove = (n: number, body: object) => browser.api('POST', `${own}/account/elevate`, body, from(n))
    for (let n = 0; n < 25; n++) {
      const wrong = await prove(n, { code: '000000' })
      assert.deepEqual([wrong.status, /too many/.test(wrong.text)], [403, false], String(n))
      assert.equal((await half.post('/console/login/second', { code: '000000' }, from(n))).status, 401, String(n))
    }
    const right = code(world, secret)
    assert.match((await prove(99, { code: right })).text, /too many tries/)
    assert.equal((await half.post('/console/login/second', { code: right }, from(98))).status, 429)
    // What is no code has tries of its own.
    assert.equal((await prove(99, { password })).status, 200)
    world.clock.advance(60_000)
    assert.equal((await prove(99, { code: code(world, secret) })).status, 200)
  })

  test('are asked for after a link by mail too, but not after one of an operator, which lets in who lost everything', async () => {
    const links: string[] = []
    const send = async ({ content }: { content: { facts: Readonly<Record<string, string>> } }) =>
      links.push(content.facts.Link!)
    const world = await open({ runActions: false, publicOrigins: ['https://cloud.example.com'], mail: { send } })
    const browser = await setUp(world)
    const { recovery } = await withCodes(world, browser)
    const { id } = (await browser.api('GET', `${own}/account`)).body.account
    const { setImmediate: turn } = await import('node:timers/promises')
    const use = async (ask: () => Promise<unknown>) => {
      const before = links.length
      await ask()
      while (links.length === before) await turn()
      const other = new TestBrowser(world)
      const code = links.at(-1)!.split('#')[1]!
      return { other, reply: await other.post('/console/reset/password', { code, go: '1', password }) }
    }
    const mailed = await use(() => new TestBrowser(world).post('/console/reset', { email: adminEmail }))
    assert.deepEqual([mailed.reply.headers.location, mailed.other.session], ['/console/login/second', undefined])
    assert.equal((await mailed.other.post('/console/login/second', { code: recovery[0]! })).status, 303)
    const handed = await use(() => mailed.other.api('POST', `${own}/people/${id}/link`))
    assert.equal(handed.reply.headers.location, '/console')
    assert.equal((await handed.other.api('GET', `${own}/account`)).status, 200)
  })

  test('elevate, once each; and recovery codes end with the last second factor', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const { secret } = await withCodes(world, browser)
    world.clock.advance(60_000)
    const now = code(world, secret)
    assert.equal((await browser.api('POST', `${own}/account/elevate`, { code: now })).status, 200)
    assert.equal((await browser.api('POST', `${own}/account/elevate`, { code: now })).status, 403)
    const { credentials } = (await browser.api('GET', `${own}/account/credentials`)).body
    const kinds = credentials.map(({ kind }: { kind: string }) => kind).sort()
    assert.deepEqual(kinds, ['password', 'totp'])
    const of = (kind: string) => credentials.find((one: { kind: string }) => one.kind === kind).id
    const renamed = await browser.api('PUT', `${own}/account/credentials/${of('totp')}`, { name: 'Phone' })
    assert.equal(renamed.body.credential.name, 'Phone')
    const last = await browser.api('DELETE', `${own}/account/credentials/${of('password')}`)
    assert.deepEqual([last.status, last.body.error.code], [422, 'last_credential'])
    assert.equal((await browser.api('DELETE', `${own}/account/credentials/${of('totp')}`)).status, 204)
    assert.equal((await browser.api('GET', `${own}/account/credentials`)).body.recovery_codes_left, 0)
    assert.equal((await signIn(new TestBrowser(world))).headers.location, '/console')
  })

  test('need a code of the secret that was shown, in time, by the same person', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const { totp } = (await browser.api('POST', `${own}/account/totp`)).body
    const confirm = (change: object) =>
      browser.api('POST', `${own}/account/totp/confirm`, {
        ticket: totp.ticket,
        code: code(world, totp.secret),
        ...change,
      })
    assert.equal((await confirm({ code: code(world, totp.secret, 5) })).body.error.code, 'wrong_credentials')
    assert.equal((await confirm({ ticket: (totp.ticket[0] === 'A' ? 'B' : 'A') + totp.ticket.slice(1) })).status, 422)
    assert.equal((await confirm({ ticket: 'x' })).status, 422)
    assert.deepEqual((await browser.api('GET', `${own}/account/credentials`)).body.recovery_codes_left, 0)
    assert.equal((await confirm({})).status, 201)
  })
})

forEachDatabase('passkeys', (open) => {
  test('are made, named, and used to sign in without a password or a second factor', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const { authenticator, reply } = await withPasskey(browser)
    assert.equal(reply.status, 201, reply.text)
    assert.deepEqual([reply.body.credential.host, reply.body.credential.name], ['localhost', 'Laptop'])
    assert.equal(reply.body.recovery_codes.length, 10)
    const other = new TestBrowser(world)
    const entered = await enter(other, authenticator)
    assert.deepEqual([entered.status, entered.body], [200, { next: '/console' }])
    assert.equal((await other.api('GET', `${own}/account`)).body.account.email, adminEmail)
  })

  test('are the second factor of a password', async () => {
    const world = await open({ runActions: false })
    const { authenticator } = await withPasskey(await setUp(world))
    const other = new TestBrowser(world)
    assert.equal((await signIn(other)).headers.location, '/console/login/second')
    const options = await other.api('POST', '/console/login/passkey/options', {})
    assert.equal(options.body.allowCredentials.length, 1)
    assert.equal((await enter(other, authenticator)).status, 200)
    assert.equal((await other.api('GET', `${own}/account`)).status, 200)
  })

  test('a challenge counts once, for 5 minutes, in the browser that got it, for this page and this host', async () => {
    const world = await open({ runActions: false })
    const { authenticator } = await withPasskey(await setUp(world))
    const refused = async (change: object, browser = new TestBrowser(world)) => {
      assert.equal((await enter(browser, authenticator, change)).status, 401, JSON.stringify(change))
      assert.equal(browser.session, undefined)
    }
    await refused({ origin: 'http://evil.example' })
    await refused({ rpId: 'evil.example' })
    await refused({ challenge: 'AAAA' })
    const [one, other] = [new TestBrowser(world), new TestBrowser(world)]
    const { body } = await one.api('POST', '/console/login/passkey/options', {})
    await other.api('POST', '/console/login/passkey/options', {})
    const answer = authenticator.get({ challenge: body.challenge, origin: one.origin, rpId: 'localhost' })
    assert.equal((await other.api('POST', '/console/login/passkey', answer)).status, 401)
    const replayed = one.copy(world)
    assert.equal((await one.api('POST', '/console/login/passkey', answer)).status, 200)
    assert.equal((await replayed.api('POST', '/console/login/passkey', answer)).status, 401)
    const late = new TestBrowser(world)
    const { body: old } = await late.api('POST', '/console/login/passkey/options', {})
    world.clock.advance(5 * 60_000)
    const tooLate = authenticator.get({ challenge: old.challenge, origin: late.origin, rpId: 'localhost' })
    assert.equal((await late.api('POST', '/console/login/passkey', tooLate)).status, 401)
  })

  test('challenges of several tabs do not get in the way of each other, whatever they are for', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const { authenticator } = await withPasskey(browser)
    await browser.post('/console/logout')
    // The tabs have loaded the page before they ask.
    const { cookies } = await browser.get('/console/login')
    assert.match(cookies.join(), /-try=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
    const ask = async () => (await browser.api('POST', '/console/login/passkey/options', {})).body.challenge as string
    const tabs = [await ask(), await ask(), await ask()]
    const answer = (challenge: string) => authenticator.get({ challenge, origin: browser.origin, rpId: 'localhost' })
    const answers = tabs.map(answer)
    for (const one of answers) assert.equal((await browser.api('POST', '/console/login/passkey', one)).status, 200)
    for (const one of answers) assert.equal((await browser.api('POST', '/console/login/passkey', one)).status, 401)
    // One tab proves who somebody is, one adds a passkey, and one is at the login; none answers for another purpose.
    const [login, { options: proof }, { options: adding }] = [
      await ask(),
      (await browser.api('POST', `${own}/account/elevate/options`)).body,
      (await browser.api('POST', `${own}/account/passkeys/options`)).body,
    ]
    const elevate = (challenge: string) =>
      browser.api('POST', `${own}/account/elevate`, { response: answer(challenge) })
    assert.equal((await elevate(login)).status, 403)
    assert.equal((await browser.api('POST', '/console/login/passkey', answer(proof.challenge))).status, 401)
    const asked = { challenge: adding.challenge, origin: browser.origin, rpId: 'localhost' }
    const response = new Authenticator().create(asked)
    assert.equal((await browser.api('POST', `${own}/account/passkeys`, { name: 'Phone', response })).status, 201)
    assert.equal((await elevate(proof.challenge)).status, 200)
    assert.equal((await browser.api('POST', '/console/login/passkey', answer(login))).status, 200)
  })

  test('of many challenges of a browser the newest twenty count', async () => {
    const world = await open({ runActions: false })
    const { authenticator } = await withPasskey(await setUp(world))
    const [browser, other] = [new TestBrowser(world), new TestBrowser(world)]
    const ask = async (who: TestBrowser) =>
      (await who.api('POST', '/console/login/passkey/options', {})).body.challenge as string
    const answer = (who: TestBrowser, challenge: string) =>
      who.api('POST', '/console/login/passkey', authenticator.get({ challenge, origin: who.origin, rpId: 'localhost' }))
    const elsewhere = await ask(other)
    const all: string[] = []
    for (let tab = 0; tab < 21; tab++) all.push(await ask(browser))
    assert.equal((await answer(browser, all[0]!)).status, 401)
    assert.equal((await answer(browser, all[1]!)).status, 200)
    assert.equal((await answer(other, elsewhere)).status, 200)
  })

  test('another key, one without verification, and a copy with an old counter are refused', async () => {
    const world = await open({ runActions: false })
    const { authenticator } = await withPasskey(await setUp(world))
    const stranger = new Authenticator()
    assert.equal((await enter(new TestBrowser(world), stranger)).status, 401)
    const forged = new Authenticator()
    Object.assign(forged, { id: authenticator.id })
    assert.equal((await enter(new TestBrowser(world), forged)).status, 401)
    authenticator.verifies = false
    assert.equal((await enter(new TestBrowser(world), authenticator)).status, 401)
    authenticator.verifies = true
    authenticator.counter = 10
    assert.equal((await enter(new TestBrowser(world), authenticator)).status, 200)
    authenticator.counter = 5
    assert.equal((await enter(new TestBrowser(world), authenticator)).status, 401)
  })

  test('are not made twice, nor from an answer to another challenge or of another page', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const { authenticator } = await withPasskey(browser)
    const again = await withPasskey(browser, authenticator)
    assert.deepEqual([again.reply.status, again.reply.body.error.code], [409, 'uniqueness_error'])
    const { options } = (await browser.api('POST', `${own}/account/passkeys/options`)).body
    const fresh = new Authenticator()
    const asked = { challenge: options.challenge, origin: 'http://evil.example', rpId: 'localhost' }
    const foreign = await browser.api('POST', `${own}/account/passkeys`, { name: 'x', response: fresh.create(asked) })
    assert.deepEqual([foreign.status, foreign.body.error.code], [422, 'invalid_input'])
    const own_ = fresh.create({ ...asked, origin: browser.origin })
    assert.equal((await browser.api('POST', `${own}/account/passkeys`, { name: 'x', response: own_ })).status, 422)
  })

  test('elevate, but only as the person of the session', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const { authenticator } = await withPasskey(browser)
    const prove = async (who: TestBrowser, by: Authenticator) => {
      const { options } = (await who.api('POST', `${own}/account/elevate/options`)).body
      const response = by.get({ challenge: options.challenge, origin: who.origin, rpId: 'localhost' })
      return (await who.api('POST', `${own}/account/elevate`, { response })).status
    }
    assert.equal(await prove(browser, authenticator), 200)
    const { link } = (await browser.api('POST', `${own}/people`, { email: 'eva@example.com' })).body
    const eva = new TestBrowser(world)
    await eva.post('/console/reset/password', { code: link.split('#')[1], go: '1', password })
    assert.equal(await prove(eva, authenticator), 403)
  })

  test('are offered only where browsers have them, and belong to the public URL if there is one', async () => {
    const plain = await open({ runActions: false })
    const offers = async (world: World, host: string, port?: string) => {
      const browser = new TestBrowser(world, { host, ...(port === undefined ? {} : { port }) })
      const { text } = await browser.get('/console/login')
      const { status } = await browser.api('POST', '/console/login/passkey/options', {})
      assert.equal(text.includes('data-passkey'), status === 200, host)
      return status === 200
    }
    assert.deepEqual(
      [await offers(plain, 'localhost'), await offers(plain, 'x.localhost'), await offers(plain, '127.0.0.1')],
      [true, true, false],
    )
    const named = await open({ runActions: false, publicOrigins: ['https://cloud.example.com'] })
    assert.deepEqual([await offers(named, 'localhost'), await offers(named, 'cloud.example.com', '')], [false, true])
  })
})
