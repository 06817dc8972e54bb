/** Setting up, signing in, and what a session may do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject, findProject } from '../../../src/kernel/access/projects.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import { makeSetupLink } from '../../../src/people/setup.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { adminEmail, own, password, setUp, signIn, TestBrowser } from '../kit/browser.ts'

async function withDefault(world: World): Promise<number> {
  const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
  return id
}

forEachDatabase('the first administrator', (open) => {
  test('is who uses the link of the start, and owns Project default', async () => {
    const world = await open({ runActions: false })
    const project = await withDefault(world)
    const browser = await setUp(world)
    const { status, body } = await browser.api('GET', `${own}/account`)
    assert.equal(status, 200)
    assert.deepEqual([body.account.email, body.account.installation_role], [adminEmail, 'admin'])
    const servers = await browser.api('GET', `/console/api/projects/${project}/v1/servers`)
    assert.deepEqual([servers.status, servers.body.servers], [200, []])
    assert.ok(await findProject(world.db.query, 'default'))
    assert.equal(await makeSetupLink(world.db), undefined)
    assert.equal((await signIn(new TestBrowser(world))).status, 303)
  })

  test('can be made once: of two at the same time one wins, and later ones are refused', async () => {
    const world = await open({ runActions: false })
    await withDefault(world)
    const code = (await makeSetupLink(world.db))!
    const emails = ['one@example.com', 'two@example.com', 'three@example.com']
    const replies = await Promise.all(
      emails.map((email) => new TestBrowser(world).post('/console/setup', { code, name: email, email, password })),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [303, 403, 403])
    const again = await new TestBrowser(world).post('/console/setup', {
      code,
      name: 'x',
      email: 'x@example.com',
      password,
    })
    assert.equal(again.status, 403)
    const rows = await world.db.query.selectFrom('person').selectAll().execute()
    assert.equal(rows.length, 1)
  })

  test('needs the newest link, within a day, and a good password', async () => {
    const world = await open({ runActions: false })
    const [first, second] = [await makeSetupLink(world.db), await makeSetupLink(world.db)]
    const browser = new TestBrowser(world)
    const fields = { name: 'Jana', email: adminEmail, password }
    assert.equal((await browser.post('/console/setup', { ...fields, code: first! })).status, 403)
    assert.equal((await browser.post('/console/setup', { ...fields, code: '' })).status, 403)
    for (const weak of ['short', 'Password1234!', adminEmail, 'x'.repeat(129)]) {
      const refused = await browser.post('/console/setup', { ...fields, code: second!, password: weak })
      assert.equal(refused.status, 422, weak)
      assert.ok(!refused.text.includes(weak) || weak === adminEmail)
    }
    const noMail = await browser.post('/console/setup', { ...fields, code: second!, email: 'no address' })
    assert.equal(noMail.status, 422)
    world.clock.advance(24 * 3_600_000)
    assert.equal((await browser.post('/console/setup', { ...fields, code: second! })).status, 403)
  })
})
