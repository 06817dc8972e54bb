/** Signing in beside many who try passwords and codes at the same time, from many networks, and over days. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SendMail } from '../../../src/kernel/mail/smtp.ts'
import { gate, until } from '../../kit/database/bare-database.ts'
import { forDatabasesInTurn, type Open, type World } from '../../kit/harness.ts'
import { adminEmail, own, password, setUp, signIn, TestBrowser } from '../kit/browser.ts'
import { code, withCodes } from '../kit/second-factors.ts'

const proxied = { runActions: false, trustedProxies: ['127.0.0.1', '::1'] }
const day = 86_400_000

/** Sends a login from a network of its own. */
function logInFrom(world: World, network: string, secret: string, email = adminEmail) {
  return new TestBrowser(world).post('/console/login', { email, password: secret }, { 'x-forwarded-for': network })
}

const guesses = ({ db }: World) => db.query.selectFrom('guess').selectAll().execute()

/** Takes both places in which passwords are hashed, until they are opened. */
function holdPlaces({ app }: World) {
  const held = [gate(), gate()]
  const left = held.map((one) => app.people.hashing.run('network:held', () => one.pass() as Promise<unknown>))
  return { held, left: Promise.all(left) }
}

forDatabasesInTurn('a right password', (open) => {
  test('is judged although many passwords from as many networks wait, and none of those is turned away', async () => {
    const world = await open(proxied)
    await setUp(world)
    const replies = await Promise.all(
      Array.from({ length: 28 }, (_, i) =>
        logInFrom(world, `198.51.100.${i}`, i === 27 ? password : 'a wrong password'),
      ),
    )
    const statuses = replies.map(({ status }) => status)
    assert.deepEqual(statuses, [...Array.from({ length: 27 }, () => 401), 303])
  })

  test('that came last is judged first, and who waits longest next', async () => {
    const world = await open(proxied)
    await setUp(world)
    const { held, left } = holdPlaces(world)
    const order: string[] = []
    const send = async (network: string, secret = 'a wrong password') => {
      const { waiting } = world.app.people.hashing
      const reply = logInFrom(world, network, secret).then(({ status }) => order.push(`${network} ${status}`))
      await until(() => world.app.people.hashing.waiting === waiting + 1)
      return () => reply
    }
    const all = [await send('192.0.2.1'), await send('192.0.2.2'), await send('192.0.2.3')]
    all.push(await send('192.0.2.4', password))
    held[0]!.open()
    for (const reply of all) await reply()
    assert.deepEqual(order, ['192.0.2.4 303', '192.0.2.1 401', '192.0.2.3 401', '192.0.2.2 401'])
    held[1]!.open()
    await left
  })

  test('and a wrong one that was not judged is no guess, and what is refused leaves nothing behind', async () => {
    const world = await open(proxied)
    await setUp(world)
    const before = await guesses(world)
    const { held, left } = holdPlaces(world)
    const waiting = Array.from({ length: 20 }, (_, i) => logInFrom(world, '192.0.2.1', 'a wrong password', `p${i}@x.y`))
    await until(() => world.app.people.hashing.waiting === 20)
    for (let i = 0; i < 5; i++) {
      const refused = await logInFrom(world, '192.0.2.1', password)
      assert.equal(refused.status, 503)
      assert.match(refused.text, /this was no try/)
      assert.match(refused.text, new RegExp(`value="${adminEmail}"`))
    }
    assert.deepEqual(await guesses(world), before)
    for (const one of held) one.open()
    for (const reply of await Promise.all(waiting)) assert.equal(reply.status, 401)
    await left
    // The account has all of its tries, the network those that were not used.
    for (let i = 0; i < 10; i++) assert.equal((await logInFrom(world, '192.0.2.1', 'a wrong password')).status, 401)
    const rows = await guesses(world)
    assert.equal((await logInFrom(world, '192.0.2.1', password)).status, 429)
    assert.deepEqual(await guesses(world), rows)
    const spent = { failures: 50, since: world.clock.now(), blocked_until: world.clock.now() + 60_000 }
    await world.db.transact((tx) =>
      tx.query.updateTable('guess').set(spent).where('subject', '=', 'network network:192.0.2.1').execute(),
    )
    for (let i = 0; i < 5; i++) assert.equal((await logInFrom(world, '192.0.2.1', 'any', `r${i}@x.y`)).status, 429)
    assert.equal((await guesses(world)).length, rows.length)
  })
})

/** Whoever has the password, and tries codes from ever new networks. */
function guesser(world: World) {
  const half = new TestBrowser(world)
  let n = 0
  return {
    half,
    async tryCode(given = '000000') {
      const network = { 'x-forwarded-for': `2001:db8:0:${(n++).toString(16)}::1` }
      const reply = await half.post('/console/login/second', { code: given }, network)
      if (reply.headers.location !== '/console/login') return reply.status
      await half.post('/console/login', { email: adminEmail, password }, network)
      return (await half.post('/console/login/second', { code: given }, network)).status
    },
  }
}

/** An installation whose mail is kept, and whose administrator has one-time codes. */
async function openWithCodes(open: Open) {
  const mails: { recipient: string; content: { subject: string; paragraphs: readonly string[] } }[] = []
  const send: SendMail = async (mail) => void mails.push(mail)
  const world = await open({ ...proxied, publicOrigins: ['https://cloud.example.com'], mail: { send } })
  const jana = await setUp(world)
  return { world, jana, mails, ...(await withCodes(world, jana)) }
}

const wrongCodes = async (browser: TestBrowser) => (await browser.api('GET', `${own}/account`)).body.account.wrong_codes

forDatabasesInTurn('one-time codes', (open) => {
  test('are counted over days: a month has about fifty tries, of which their person is told', async () => {
    const { world, jana, mails, secret, recovery } = await openWithCodes(open)
    const mallory = guesser(world)
    for (let i = 0; i < 9; i++) assert.equal(await mallory.tryCode(), 401)
    assert.deepEqual([await wrongCodes(jana), mails.length], [null, 0])
    const [{ since }] = [{ since: new Date(world.clock.now()).toISOString().replace('.000', '') }]
    for (let i = 9; i < 50; i++) assert.equal(await mallory.tryCode(), 401, String(i))
    assert.equal((await wrongCodes(jana)).count, 50)
    assert.equal(Date.parse((await wrongCodes(jana)).since), Date.parse(since))
    await until(() => mails.length === 2)
    for (const { recipient, content } of mails) {
      assert.deepEqual([recipient, content.subject], [adminEmail, 'Somebody tries to sign in to your account'])
    }
    assert.deepEqual(mails.map(({ content }) => /^\d+/.exec(content.paragraphs[0]!)![0]).sort(), ['10', '50'])
    assert.equal(await mallory.tryCode(code(world, secret)), 429)
    // 17 minutes do not begin anew, nor does a day.
    const minutes = [17, 17, 17, 17, 17, 17, 60, 24 * 60]
    const tries: number[] = []
    for (const pause of minutes) {
      world.clock.advance(pause * 60_000)
      let count = 0
      while ((await mallory.tryCode()) !== 429) count++
      tries.push(count)
    }
    assert.deepEqual(tries, [1, 1, 1, 1, 1, 0, 1, 1])
    // Whom that keeps out has recovery codes, which nobody guesses.
    const person = new TestBrowser(world)
    await signIn(person)
    assert.equal((await person.post('/console/login/second', { code: recovery[0]! })).status, 303)
    assert.ok((await wrongCodes(person)).count > 50)
    // A new password ends it, because whoever tried them knew the one before.
    assert.equal(
      (await person.api('PUT', `${own}/account/password`, { password: `${password} und singen` })).status,
      204,
    )
    assert.equal(await wrongCodes(person), null)
  })

  test('of somebody else stay counted when their person signs in, and are forgotten after a month', async () => {
    const { world, secret } = await openWithCodes(open)
    const mallory = guesser(world)
    for (let i = 0; i < 30; i++) assert.equal(await mallory.tryCode(), 401)
    world.clock.advance(60_000)
    const person = new TestBrowser(world)
    const at = { 'x-forwarded-for': '192.0.2.1' }
    await person.post('/console/login', { email: adminEmail, password }, at)
    assert.equal((await person.post('/console/login/second', { code: '000000' }, at)).status, 401)
    assert.equal((await person.post('/console/login/second', { code: code(world, secret) }, at)).status, 303)
    assert.equal((await wrongCodes(person)).count, 30)
    world.clock.advance(30 * day)
    const later = new TestBrowser(world)
    await signIn(later)
    assert.equal((await later.post('/console/login/second', { code: code(world, secret) })).status, 303)
    assert.equal(await wrongCodes(later), null)
  })
})
