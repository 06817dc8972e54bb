/** Attacks on pages and sessions: foreign pages and hosts, guessing, finding out who has an account, and scripts. */
import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { forDatabasesInTurn } from '../../kit/harness.ts'
import { adminEmail, own, password, type Reply, setUp, signIn, TestBrowser } from '../kit/browser.ts'

const minute = 60_000

/** A page without what differs by intent: what was typed. */
const comparable = (reply: Reply, typed: string) => [reply.status, reply.text.replaceAll(typed, '<typed>')]

forDatabasesInTurn('the doors', (open) => {
  test('take changes only from their own pages: neither from other sites nor from other ports of this host', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
      { 'sec-fetch-site': '', origin: 'http://localhost:1' },
      { 'sec-fetch-site': '', origin: 'null' },
      { 'sec-fetch-site': '', origin: '' },
    ]
    for (const headers of foreign) {
      const form = await browser.post('/console/logout', {}, headers)
      assert.deepEqual([form.status, form.body.error.code], [403, 'forbidden'], JSON.stringify(headers))
      const login = await new TestBrowser(world).post('/console/login', { email: adminEmail, password }, headers)
      assert.equal(login.status, 403)
      const row = await browser.api('PUT', `${own}/account`, { name: 'Evil' }, headers)
      assert.deepEqual([row.status, row.body.error.code], [403, 'forbidden'], JSON.stringify(headers))
    }
    const plain = { 'content-type': 'text/plain' }
    assert.equal((await browser.api('PUT', `${own}/account`, { name: 'Evil' }, plain)).status, 415)
    const formType = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await browser.api('PUT', `${own}/account`, { name: 'Evil' }, formType)).status, 415)
    assert.equal((await browser.api('GET', `${own}/account`)).body.account.name, 'Jana Nord')
    const byOrigin = { 'sec-fetch-site': '' }
    assert.equal((await browser.api('PUT', `${own}/account`, { name: 'Jana' }, byOrigin)).status, 200)
  })

  test('a GET changes nothing', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    for (const path of ['/console/logout', '/console/login', '/console/setup', '/console/reset', '/console/invite']) {
      await browser.get(path)
    }
    assert.equal((await browser.api('GET', `${own}/account`)).status, 200)
    const put = await browser.send('PUT', '/console/login', '', browser.own)
    assert.deepEqual([put.status, put.headers.allow], [405, 'GET, HEAD, POST'])
  })

  test('answer under no foreign name that was made to lead here', async () => {
    const world = await open({ runActions: false, publicOrigins: ['https://cloud.example.com'] })
    const browser = await setUp(world)
    for (const host of ['evil.example', 'localhost.evil.example', 'evil-localhost', 'cloud.example.com.evil.example']) {
      const stranger = new TestBrowser(world, { host })
      for (const [name, value] of browser.jar) stranger.jar.set(name, value)
      assert.equal((await stranger.get('/console/login')).status, 421, host)
      assert.equal((await stranger.get('/console/projects')).status, 421, host)
      assert.equal((await stranger.api('GET', `${own}/account`)).status, 421, host)
    }
    for (const host of ['localhost', 'anything.localhost', '127.0.0.1', '[::1]', '192.0.2.1']) {
      assert.equal((await new TestBrowser(world, { host }).get('/console/login')).status, 200, host)
    }
    const named = new TestBrowser(world, { host: 'cloud.example.com', port: '' })
    assert.equal((await named.get('/console/login')).status, 200)
  })

  test('guessing: ten tries are free for an account and a network, then waits double; the account is never locked', async () => {
    const world = await open({ runActions: false })
    await setUp(world)
    const attacker = new TestBrowser(world)
    for (let left = 9; left >= 0; left--) {
      const reply = await signIn(attacker, adminEmail, 'wrong password here')
      assert.equal(reply.status, 401)
      if (left > 0) assert.match(reply.text, new RegExp(`${left} more tr`))
    }
    for (const waitMinutes of [1, 2, 4, 8]) {
      const blocked = await signIn(attacker)
      assert.equal(blocked.status, 429, `before ${waitMinutes} min`)
      world.clock.advance(waitMinutes * minute - 1)
      assert.equal((await signIn(attacker)).status, 429, `just before ${waitMinutes} min`)
      world.clock.advance(1)
      assert.equal((await signIn(attacker, adminEmail, 'wrong password here')).status, 401, `after ${waitMinutes} min`)
    }
    // Another account from the same network, which has tries of its own.
    assert.equal((await signIn(attacker, 'other@example.com')).status, 401)
    world.clock.advance(16 * minute)
    assert.equal((await signIn(attacker)).status, 303)
    assert.equal((await signIn(new TestBrowser(world))).status, 303)
  })

  test('guessing: behind a proxy that is trusted, callers are told apart; nobody else says who they are', async () => {
    const world = await open({ runActions: false, trustedProxies: ['127.0.0.1', '::1'] })
    await setUp(world)
    const tried = async (from: string) => {
      const browser = new TestBrowser(world)
      const fields = { email: adminEmail, password: 'a wrong password' }
      return (await browser.post('/console/login', fields, { 'x-forwarded-for': from })).status
    }
    // What a caller claims comes before what the proxy adds.
    for (let i = 0; i < 10; i++) assert.equal(await tried(`203.0.113.${i}, 192.0.2.1`), 401)
    assert.equal(await tried('203.0.113.77, 192.0.2.1'), 429)
    assert.equal(await tried('192.0.2.2'), 401)
    const untrusted = await open({ runActions: false })
    await setUp(untrusted)
    const claims = new TestBrowser(untrusted)
    await claims.post('/console/login', { email: adminEmail, password }, { 'x-forwarded-for': '192.0.2.9' })
    const { sessions } = (await claims.api('GET', `${own}/account/sessions`)).body
    assert.ok(sessions.every(({ network }: { network: string }) => network === '127.0.0.1'))
  })

  test('guessing: parallel tries are all counted', async () => {
    const world = await open({ runActions: false })
    await setUp(world)
    const replies = await Promise.all(
      Array.from({ length: 16 }, () => signIn(new TestBrowser(world), adminEmail, 'wrong password here')),
    )
    const statuses = replies.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 401).length, 10)
    assert.equal(statuses.filter((status) => status === 429).length, 6)
  })

  test('guessing: a network that tries many accounts is slowed down as well', async () => {
    const world = await open({ runActions: false })
    await setUp(world)
    const statuses: number[] = []
    for (let i = 0; i < 52; i++) {
      statuses.push((await signIn(new TestBrowser(world), `p${i}@example.com`, 'wrong password here')).status)
    }
    assert.deepEqual([statuses.indexOf(429), statuses.filter((status) => status === 401).length], [50, 50])
  })

  test('nobody learns who has an account, neither at the login nor by asking for a new password', async () => {
    const mails: string[] = []
    const send = async ({ recipient }: { recipient: string }) => mails.push(recipient)
    const world = await open({
      runActions: false,
      publicOrigins: ['https://cloud.example.com'],
      mail: { send },
    })
    const admin = await setUp(world)
    const { person } = (await admin.api('POST', `${own}/people`, { email: 'idle@example.com' })).body
    await admin.api('POST', `${own}/people`, { email: 'off@example.com' })
    await admin.api('PUT', `${own}/people/${person.id}`, { disabled: true })
    const compare = async (ask: (email: string) => Promise<Reply>) => {
      const emails = [adminEmail, 'nobody@example.com', 'idle@example.com', 'off@example.com']
      const seen: unknown[][] = []
      for (const email of emails) seen.push(comparable(await ask(email), email))
      for (const one of seen) assert.deepEqual(one, seen[0])
      return seen[0]!
    }
    const [loginStatus] = await compare((email) => signIn(new TestBrowser(world), email, 'wrong password here'))
    assert.equal(loginStatus, 401)
    const before = mails.length
    const [resetStatus] = await compare((email) => new TestBrowser(world).post('/console/reset', { email }))
    assert.equal(resetStatus, 200)
    const { setImmediate: turn } = await import('node:timers/promises')
    while (mails.length < before + 2) await turn()
    assert.deepEqual(mails.slice(before).sort(), [adminEmail, 'off@example.com'])
  })

  test('a login costs the same work whether or not somebody has the account, a password, and may sign in', async () => {
    const world = await open({ runActions: false })
    const admin = await setUp(world)
    const { person } = (await admin.api('POST', `${own}/people`, { email: 'off@example.com' })).body
    await admin.api('PUT', `${own}/people/${person.id}`, { disabled: true })
    await admin.api('POST', `${own}/people`, { email: 'idle@example.com' })
    let hashes = 0
    const watch = createHook({
      init(_id, type) {
        if (type === 'ARGON2REQUEST') hashes++
      },
    }).enable()
    try {
      for (const email of [adminEmail, 'nobody@example.com', 'idle@example.com', 'off@example.com']) {
        const before = hashes
        assert.equal((await signIn(new TestBrowser(world), email, 'wrong password here')).status, 401)
        assert.equal(hashes - before, 1, email)
      }
    } finally {
      watch.disable()
    }
  })

  test('every page carries the headers that keep scripts and frames out, and no inline script or style', async () => {
    const world = await open({ runActions: false, publicOrigins: ['https://cloud.example.com'] })
    const paths = ['login', 'login/token', 'setup', 'enter', 'invite', 'reset', 'logout']
    for (const host of ['localhost', 'cloud.example.com'] as const) {
      const isTls = host !== 'localhost'
      const browser = new TestBrowser(world, { host, ...(isTls ? { port: '' } : {}) })
      for (const path of paths) {
        const { status, headers, text } = await browser.get(`/console/${path}`)
        assert.equal(status, 200, path)
        const csp = String(headers['content-security-policy'])
        for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'"]) {
          assert.ok(csp.includes(part), path)
        }
        for (const part of ["base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]) {
          assert.ok(csp.includes(part), path)
        }
        assert.ok(!csp.includes('unsafe'), path)
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.equal(headers['referrer-policy'], 'same-origin')
        assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
        assert.equal(headers['cache-control'], 'no-store')
        assert.equal(headers['strict-transport-security'] !== undefined, isTls, `${host} ${path}`)
        assert.doesNotMatch(text, /<script(?! src="\/console\/door\/script\.js" defer>)/, path)
        assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=|javascript:|https?:\/\/(?!www\.w3\.org)/, path)
      }
    }
    const css = await new TestBrowser(world).get('/console/door/style.css')
    const script = await new TestBrowser(world).get('/console/door/script.js')
    assert.match(String(css.headers['content-type']), /^text\/css/)
    assert.match(String(script.headers['content-type']), /^text\/javascript/)
    assert.ok(script.text.length <= 8_192)
    assert.ok(!css.text.includes('url('))
  })

  test('what people type is shown as text, and a path to go on to stays within the console', async () => {
    const world = await open({ runActions: false })
    await setUp(world)
    const evil = `"><script>alert(1)</script>`
    const reply = await signIn(new TestBrowser(world), evil, 'wrong password here')
    assert.ok(!reply.text.includes('<script>alert'))
    assert.ok(reply.text.includes('&#60;script&#62;'))
    const places = [
      '//evil.example',
      'https://evil.example/console/',
      '/console/../../x',
      '/\\evil.example',
      '/console\\x',
    ]
    for (const next of [...places, 'javascript:alert(1)', '/console//evil.example', '/consoleevil']) {
      const gone = await new TestBrowser(world).post('/console/login', { email: adminEmail, password, next })
      assert.equal(gone.status, 303)
      assert.match(String(gone.headers.location), /^\/console(\/|$)/, next)
    }
    const doors = [
      'login/oidc?link',
      'login/oidc',
      'login?again',
      'logout',
      'setup',
      'enter',
      'reset',
      'invite',
      'api/x',
    ]
    for (const door of [
      ...doors,
      './login',
      'x/../login',
      '%6cogin/oidc',
      'log%69n?again',
      '%zz',
      'login#x',
      'door/x',
    ]) {
      const next = `/console/${door}`
      const gone = await new TestBrowser(world).post('/console/login', { email: adminEmail, password, next })
      assert.equal(gone.headers.location, '/console', next)
    }
    const kept = '/console/projects/1/servers?sort=name'
    const good = await new TestBrowser(world).post('/console/login', { email: adminEmail, password, next: kept })
    assert.equal(good.headers.location, kept)
  })

  test('speak German to those who prefer it, with the same fields', async () => {
    const world = await open({ runActions: false })
    const [english, german] = [new TestBrowser(world), new TestBrowser(world, { language: 'de-AT,de;q=0.9,en;q=0.5' })]
    const [en, de] = [await english.get('/console/login'), await german.get('/console/login')]
    assert.match(en.text, /<html lang="en">[\s\S]*Log in/)
    assert.match(de.text, /<html lang="de">[\s\S]*Anmelden/)
    const fields = ({ text }: Reply) => [...text.matchAll(/name="(\w+)"/g)].map(([, name]) => name)
    assert.deepEqual(fields(en), fields(de))
    german.jar.set('wolke_language', 'en')
    german.jar.set('wolke_theme', 'dark')
    assert.match((await german.get('/console/login')).text, /<html lang="en" data-theme="dark">/)
  })

  test('malformed forms and bodies are refused, never a failure of the server', async () => {
    const world = await open({ runActions: false })
    const browser = await setUp(world)
    const stranger = new TestBrowser(world)
    const nul = 'email=%00&password=x&code=%00&name=%00&token=%00'
    const paths = ['login', 'login/second', 'login/token', 'login/passkey', 'setup', 'enter', 'invite', 'invite/accept']
    for (const path of [...paths, 'reset', 'reset/password', 'login/passkey/options']) {
      for (const body of [
        '',
        '%',
        'a=1&a=2',
        '{"id":1}',
        '{',
        `code=${'x'.repeat(1_000)}`,
        '\0',
        nul,
        '{"id":"\\u0000"}',
      ]) {
        for (const type of ['application/json', 'application/x-www-form-urlencoded', '']) {
          const sent = { ...stranger.own, 'content-type': type }
          const { status } = await stranger.send('POST', `/console/${path}`, body, sent)
          assert.ok(status < 500, `${path} ${JSON.stringify(body)} ${type}: ${status}`)
        }
      }
    }
    const large = await stranger.post('/console/login', { email: 'x'.repeat(100_000) })
    assert.equal(large.status, 413)
    const rows = ['password', 'totp/confirm', 'passkeys', 'elevate', 'invitations/accept']
    for (const row of rows) {
      for (const body of [{}, { password: 1 }, { response: {}, name: 'x' }, { code: '', ticket: '' }, [], 'x']) {
        const { status } = await browser.api(row === 'password' ? 'PUT' : 'POST', `${own}/account/${row}`, body)
        assert.ok(status >= 400 && status < 500, `${row} ${JSON.stringify(body)}: ${status}`)
      }
    }
  })
})
