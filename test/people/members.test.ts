/** Members of Projects: their roles, and the one owner. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject } from '../../src/kernel/access/projects.ts'
import { timestamp } from '../../src/kernel/process/clock.ts'
import { forEachDatabase, type World } from '../harness.ts'
import { own, password, setUp, TestBrowser } from './browser.ts'

/** Jana, who owns Project default, and somebody whom she has invited. */
async function withMember(world: World, role: string) {
  const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
  const jana = await setUp(world)
  const at = `${own}/projects/${id}`
  const { link } = (await jana.api('POST', `${at}/invitations`, { email: 'eva@example.com', role })).body
  const eva = new TestBrowser(world)
  const code = link.split('#')[1]
  assert.equal((await eva.post('/console/invite/accept', { code, name: 'Eva', password })).status, 303)
  const idOf = async (browser: TestBrowser) => (await browser.api('GET', `${own}/account`)).body.account.id as number
  return { jana, eva, at, ids: { jana: await idOf(jana), eva: await idOf(eva) } }
}

forEachDatabase('members', (open) => {
  test('are seen by all members, changed by admins, and a change counts at once', async () => {
    const world = await open({ runActions: false })
    const { jana, eva, at, ids } = await withMember(world, 'viewer')
    const seen = (await eva.api('GET', `${at}/members`)).body.members
    assert.deepEqual(
      seen.map(({ person_id, role }: { person_id: number; role: string }) => [person_id, role]),
      [
        [ids.jana, 'owner'],
        [ids.eva, 'viewer'],
      ],
    )
    const lesser = await eva.api('PUT', `${at}/members/${ids.eva}`, { role: 'admin' })
    assert.deepEqual([lesser.status, lesser.body.error.code], [403, 'forbidden'])
    const raised = await jana.api('PUT', `${at}/members/${ids.eva}`, { role: 'admin' })
    assert.deepEqual([raised.status, raised.body.member.role], [200, 'admin'])
    assert.equal((await eva.api('GET', `${at}/invitations`)).status, 200)
    assert.equal((await jana.api('PUT', `${at}/members/${ids.eva}`, { role: 'owner' })).status, 422)
    assert.equal((await jana.api('PUT', `${at}/members/4000000000000000`, { role: 'viewer' })).status, 404)
    assert.equal((await jana.api('DELETE', `${at}/members/${ids.eva}`)).status, 204)
    assert.equal((await eva.api('GET', `${at}/members`)).status, 404)
    assert.equal((await jana.api('DELETE', `${at}/members/${ids.eva}`)).status, 404)
  })

  test('have one owner: nobody else changes or removes it, and only it hands the Project over', async () => {
    const world = await open({ runActions: false })
    const { jana, eva, at, ids } = await withMember(world, 'admin')
    for (const reply of [
      await eva.api('PUT', `${at}/members/${ids.jana}`, { role: 'viewer' }),
      await eva.api('DELETE', `${at}/members/${ids.jana}`),
    ]) {
      assert.deepEqual([reply.status, reply.body.error.code], [422, 'member_is_owner'])
    }
    assert.equal((await eva.api('POST', `${at}/transfer`, { person_id: ids.eva })).body.error.code, 'forbidden')
    assert.equal((await jana.api('POST', `${at}/transfer`, { person_id: 4_000_000_000_000_000 })).status, 404)
    const both = [ids.eva, ids.jana].map((person_id) => jana.api('POST', `${at}/transfer`, { person_id }))
    for (const { status } of await Promise.all(both)) assert.ok([200, 403].includes(status))
    const { members } = (await eva.api('GET', `${at}/members`)).body
    const owners = members.filter(({ role }: { role: string }) => role === 'owner')
    assert.equal(owners.length, 1)
    assert.equal(members.length, 2)
  })

  test('are changed only with a fresh proof', async () => {
    const world = await open({ runActions: false })
    const { jana, at, ids } = await withMember(world, 'admin')
    world.clock.advance(10 * 60_000 + 1)
    for (const [method, path, body] of [
      ['PUT', `members/${ids.eva}`, { role: 'viewer' }],
      ['DELETE', `members/${ids.eva}`, undefined],
      ['POST', 'transfer', { person_id: ids.eva }],
    ] as const) {
      assert.equal((await jana.api(method, `${at}/${path}`, body)).body.error.code, 'elevation_required')
    }
  })
})
