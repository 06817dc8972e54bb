/** Accounts that begin with a passkey instead of a password: the first administrator, and people who are invited. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject } from '../../../src/kernel/access/projects.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import { makeSetupLink } from '../../../src/people/setup.ts'
import { forDatabasesInTurn } from '../../kit/harness.ts'
import { Authenticator } from '../kit/authenticator.ts'
import { adminEmail, own, type Reply, setUp, signIn, TestBrowser } from '../kit/browser.ts'

type Fields = Readonly<Record<string, string>>

/** Asks for the challenge of a new account's passkey, as the page does. */
const ask = (browser: TestBrowser, path: string, fields: Fields) =>
  browser.api('POST', `${path}/passkey/options`, fields)

/** Lets the browser of a page make the passkey that was asked for. */
function answer(browser: TestBrowser, path: string, fields: Fields, asked: Reply, authenticator = new Authenticator()) {
  const { challenge } = asked.body
  const response = authenticator.create({ challenge, origin: browser.origin, rpId: 'localhost' })
  return browser.api('POST', `${path}/passkey`, { ...fields, response })
}

async function enter(browser: TestBrowser, authenticator: Authenticator): Promise<Reply> {
  const { body } = await browser.api('POST', '/console/login/passkey/options', {})
  const response = authenticator.get({ challenge: body.challenge, origin: browser.origin, rpId: 'localhost' })
  return browser.api('POST', '/console/login/passkey', response)
}

const accountOf = async (browser: TestBrowser) => (await browser.api('GET', `${own}/account`)).body.account
const kindsOf = async (browser: TestBrowser) =>
  (await browser.api('GET', `${own}/account/credentials`)).body.credentials.map(({ kind }: { kind: string }) => kind)

forDatabasesInTurn('an account that begins with a passkey', (open) => {
  test('is that of the first administrator, once, with the code of the link', async () => {
    const world = await open({ runActions: false })
    const code = (await makeSetupLink(world.db))!
    const browser = new TestBrowser(world)
    const fields = { code, name: 'Jana Nord', email: adminEmail }
    assert.match((await browser.get('/console/setup')).text, /data-options-at="\/console\/setup\/passkey\/options"/)
    assert.equal((await ask(browser, '/console/setup', { ...fields, code: 'x'.repeat(43) })).status, 403)
    assert.deepEqual(
      (await ask(browser, '/console/setup', { ...fields, name: '' })).body.problem,
      'Write a name of at most 100 characters.',
    )
    assert.equal((await ask(browser, '/console/setup', { ...fields, email: 'nobody' })).status, 422)
    const asked = await ask(browser, '/console/setup', fields)
    assert.deepEqual([asked.body.user.name, asked.body.rp.id], [adminEmail, 'localhost'], asked.text)
    // The answer counts in the browser that was asked, with the code, and once.
    assert.equal((await answer(new TestBrowser(world), '/console/setup', fields, asked)).status, 422)
    const authenticator = new Authenticator()
    const done = await answer(browser, '/console/setup', fields, asked, authenticator)
    assert.deepEqual([done.status, done.body], [200, { next: '/console' }], done.text)
    const account = await accountOf(browser)
    assert.deepEqual([account.email, account.installation_role], [adminEmail, 'admin'])
    const { whoami } = (await browser.api('GET', `${own}/whoami`)).body
    assert.deepEqual([whoami.name, whoami.display_name], [adminEmail, 'Jana Nord'])
    assert.deepEqual(await kindsOf(browser), ['passkey'])
    assert.equal(Buffer.from(asked.body.user.id, 'base64url').toString(), String(account.id))
    const again = new TestBrowser(world)
    assert.equal((await enter(again, authenticator)).status, 200)
    assert.equal((await accountOf(again)).id, account.id)
    assert.equal((await ask(new TestBrowser(world), '/console/setup', fields)).status, 403)
    assert.equal((await signIn(new TestBrowser(world), adminEmail, '')).status, 401)
  })

  test('does not come into being without the code when it is used, even with a challenge', async () => {
    const world = await open({ runActions: false })
    const code = (await makeSetupLink(world.db))!
    const fields = { code, name: 'Jana Nord', email: adminEmail }
    const browser = new TestBrowser(world)
    const asked = await ask(browser, '/console/setup', fields)
    await setUp(world)
    const late = await answer(browser, '/console/setup', fields, asked)
    assert.deepEqual([late.status, browser.session], [403, undefined])
    assert.equal((await world.db.query.selectFrom('credential').selectAll().execute()).length, 1)
  })

  test('is that of somebody who was invited, for the address of the invitation alone', async () => {
    const world = await open({ runActions: false })
    const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const admin = await setUp(world)
    const invite = async (email: string) => {
      const { link } = (await admin.api('POST', `${own}/projects/${id}/invitations`, { email, role: 'member' })).body
      return { code: link.split('#')[1] as string, name: 'Eva', email: 'else@example.com' }
    }
    const fields = await invite('eva@example.com')
    const browser = new TestBrowser(world)
    const offered = await browser.post('/console/invite', { code: fields.code })
    assert.match(offered.text, /data-answer-at="\/console\/invite\/passkey"/)
    const asked = await ask(browser, '/console/invite', fields)
    assert.equal(asked.body.user.name, 'eva@example.com', asked.text)
    const other = await invite('max@example.com')
    assert.equal((await answer(browser.copy(world), '/console/invite', other, asked)).status, 403)
    assert.equal((await answer(browser, '/console/invite', fields, asked)).status, 422)
    const anew = await ask(browser, '/console/invite', fields)
    const done = await answer(browser, '/console/invite', fields, anew)
    assert.deepEqual([done.status, done.body], [200, { next: `/console/projects/${id}` }], done.text)
    assert.equal((await accountOf(browser)).email, 'eva@example.com')
    assert.equal((await browser.api('GET', `/console/api/projects/${id}/v1/servers`)).status, 200)
    // Who has the address already signs in and accepts with that account.
    const known = await invite('eva@example.com')
    assert.equal((await ask(new TestBrowser(world), '/console/invite', known)).status, 403)
  })
})
