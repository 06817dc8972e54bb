/** Links that set a password: each counts once, and none is left where another one was used. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeLink } from '../../../src/people/sessions/link-store.ts'
import { makePersonLink } from '../../../src/people/sessions/resets.ts'
import { forDatabasesInTurn, type World } from '../../kit/harness.ts'
import { own, password, setUp, signIn, TestBrowser } from '../kit/browser.ts'
import { withCodes } from '../kit/second-factors.ts'

const email = 'eva@example.com'
const dead = /does not count any more/

/** A new person, and the links that they can have: by an operator, and by mail. */
async function withLinks(world: World) {
  const admin = await setUp(world)
  const { person } = (await admin.api('POST', `${own}/people`, { email })).body
  const id = person.id as number
  const mailed = () => world.db.transact((tx) => makeLink(tx, { kind: 'reset', personId: id, forMs: 30 * 60_000 }))
  const handed = () => makePersonLink(world.db, id)
  return { admin, id, mailed, handed }
}

const use = (browser: TestBrowser, code: string, chosen = password) =>
  browser.post('/console/reset/password', { code, go: '1', password: chosen })

forDatabasesInTurn('links to set a password', (open) => {
  test('do not count any more once another one was used', async () => {
    const world = await open({ runActions: false })
    const { mailed, handed } = await withLinks(world)
    for (const [make, other] of [
      [mailed, handed],
      [handed, mailed],
    ] as const) {
      const [first, second] = [await make(), await other()]
      const eva = new TestBrowser(world)
      assert.equal((await use(eva, first)).status, 303)
      const late = await use(new TestBrowser(world), second, 'ein anderes langes Passwort')
      assert.equal(late.status, 403)
      assert.match(late.text, dead)
      assert.equal((await eva.api('GET', `${own}/account`)).status, 200)
    }
  })

  test('do not count any more once the password was changed', async () => {
    const world = await open({ runActions: false })
    const { mailed, handed } = await withLinks(world)
    const eva = new TestBrowser(world)
    await use(eva, await handed())
    const left = [await mailed(), await handed()]
    const changed = await eva.api('PUT', `${own}/account/password`, { password: 'acht grüne Tassen singen' })
    assert.equal(changed.status, 204)
    for (const code of left) assert.equal((await use(new TestBrowser(world), code)).status, 403)
  })

  test('and half-finished sign-ins end when a person is disabled, also for when it is enabled again', async () => {
    const world = await open({ runActions: false })
    const { admin, id, mailed, handed } = await withLinks(world)
    const eva = new TestBrowser(world)
    await use(eva, await handed())
    const { recovery } = await withCodes(world, eva)
    const half = new TestBrowser(world)
    assert.equal((await signIn(half, email)).headers.location, '/console/login/second')
    const left = [await mailed(), await handed()]
    const change = (body: object) => admin.api('PUT', `${own}/people/${id}`, body)
    assert.equal((await change({ disabled: true, name: 'Eva' })).body.person.name, 'Eva')
    assert.equal((await change({ disabled: false })).body.person.disabled, null)
    for (const code of left) assert.equal((await use(new TestBrowser(world), code)).status, 403)
    assert.equal((await eva.api('GET', `${own}/account`)).status, 401)
    const second = (browser: TestBrowser) => browser.post('/console/login/second', { code: recovery[0]! })
    assert.equal((await second(half)).headers.location, '/console/login')
    await signIn(eva, email)
    assert.equal((await second(eva)).headers.location, '/console')
  })
})
