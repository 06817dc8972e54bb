/** Members of Projects: their roles, and the one owner. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicKey } from '../../../src/families/ssh-keys/proof.ts'
import { createManagementToken } from '../../../src/kernel/access/management-tokens.ts'
import { createProject } from '../../../src/kernel/access/projects.ts'
import { changeOwner } from '../../../src/kernel/mail/outbox.ts'
import type { SendMail } from '../../../src/kernel/mail/smtp.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import { addMember } from '../../../src/people/memberships/membership-store.ts'
import { createPerson } from '../../../src/people/person-store.ts'
import { until } from '../../kit/database/bare-database.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { own, password, setUp, TestBrowser } from '../kit/browser.ts'

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

  test('find nothing in their Project once it is deleted, and write nothing', async () => {
    const world = await open({ runActions: false })
    const { jana, eva, at } = await withMember(world, 'admin')
    const keys = `${at.replace(own, '/console/api')}/v1/ssh_keys`
    const key = { name: 'a', public_key: publicKey() }
    for (const browser of [jana, eva]) assert.equal((await browser.api('GET', keys)).status, 200)
    assert.equal((await jana.api('DELETE', at)).status, 204)
    for (const browser of [jana, eva]) {
      for (const reply of [await browser.api('GET', keys), await browser.api('POST', keys, key)])
        assert.deepEqual([reply.status, reply.body.error.code], [404, 'not_found'])
    }
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
    const [to] = owners
    const log = `${at}/audit?operation=transfer&outcome=ok&resource=${to.person_id}`
    const { audit } = (await (to.person_id === ids.eva ? eva : jana).api('GET', log)).body
    assert.deepEqual(
      audit.map(({ resources }: { resources: number[] }) => resources),
      [[to.person_id]],
    )
  })

  test('an administrator of the installation joins without an invitation, which is audited and told to the owner', async () => {
    const sent: { recipient: string; subject: string }[] = []
    const send: SendMail = async ({ recipient, content }) => void sent.push({ recipient, subject: content.subject })
    const world = await open({ runActions: false, publicOrigins: ['https://cloud.example.com'], mail: { send } })
    const { id } = await world.db.transact((tx) => createProject(tx, 'theirs', timestamp(tx.now)))
    const jana = await setUp(world)
    const janaId = (await jana.api('GET', `${own}/account`)).body.account.id as number
    const eva = await world.db.transact(async (tx) => {
      const person = await createPerson(tx, { email: 'eva@example.com', name: 'Eva' })
      await addMember(tx, { projectId: id }, person.id, 'owner')
      return person
    })
    const at = `${own}/projects/${id}`
    assert.equal((await jana.api('GET', `/console/api/projects/${id}/v1/servers`)).status, 404)
    const join = (role: string, person_id = janaId) => jana.api('POST', `${at}/members`, { person_id, role })
    assert.equal((await join('owner')).status, 422)
    assert.equal((await join('viewer', 4_000_000_000_000_000)).status, 404)
    assert.equal((await join('viewer', eva.id)).body.error.code, 'member_is_owner')
    const joined = await join('viewer')
    assert.deepEqual([joined.status, joined.body.member?.role], [201, 'viewer'], joined.text)
    assert.equal((await jana.api('GET', `/console/api/projects/${id}/v1/servers`)).status, 200)
    await until(() => sent.length === 1, 'the owner is told')
    assert.deepEqual(sent, [{ recipient: 'eva@example.com', subject: 'Somebody has joined your Project on Wolke' }])
    // The address for mail about the Project, which admins can change, does not stand for its owner.
    await world.db.transact((tx) => changeOwner(tx, { projectId: id }, 'team@example.com'))
    assert.equal((await join('admin')).body.member.role, 'admin')
    await world.app.mailer.run()
    await until(() => sent.length === 3, 'both are told')
    assert.deepEqual(sent.map(({ recipient }) => recipient).sort(), [
      'eva@example.com',
      'eva@example.com',
      'team@example.com',
    ])
    await world.app.auditLog.flush()
    const { audit } = (await jana.api('GET', `${at}/audit?operation=members`)).body
    const ok = audit.filter(({ outcome }: { outcome: string }) => outcome === 'ok')
    assert.deepEqual(
      ok.map((entry: { operation: string; actor: { name: string } }) => [entry.operation, entry.actor.name]),
      [1, 2].map(() => ['POST /wolke/v1/projects/{project_id}/members', 'jana@nordlicht.example']),
    )
    const aboutEva = (await jana.api('GET', `${at}/audit?operation=members&resource=${eva.id}`)).body.audit
    assert.deepEqual(
      aboutEva.map(({ outcome }: { outcome: string }) => outcome),
      ['member_is_owner'],
    )
    assert.deepEqual(
      ok.map(({ resources }: { resources: number[] }) => resources),
      [[janaId], [janaId]],
    )
    world.clock.advance(10 * 60_000)
    assert.equal((await join('viewer')).body.error.code, 'elevation_required')
  })

  test('an operator gives an owner to a Project that has none, and to no other', async () => {
    const world = await open({ runActions: false })
    const jana = await setUp(world)
    const janaId = (await jana.api('GET', `${own}/account`)).body.account.id as number
    const { token } = await world.db.transact((tx) =>
      createManagementToken(tx, { name: 'automation', created: timestamp(tx.now) }),
    )
    const { project } = (
      await world.client(token).post(new URL('/wolke/v1/projects', world.baseUrl).href, { name: 'a' })
    ).body
    const eva = (await jana.api('POST', `${own}/people`, { email: 'eva@example.com' })).body.person.id as number
    const at = `${own}/projects/${project.id}`
    const give = (person_id: number, role = 'owner') => jana.api('POST', `${at}/members`, { person_id, role })
    assert.equal((await give(eva, 'viewer')).status, 201)
    const given = await give(eva)
    assert.deepEqual([given.status, given.body.member?.role], [201, 'owner'], given.text)
    const again = await give(janaId)
    assert.deepEqual([again.status, again.body.error.details.fields[0].name], [422, 'role'])
    const { projects } = (await jana.api('GET', `${own}/installation/projects`)).body
    const listed = projects.find(({ id }: { id: number }) => id === project.id)
    assert.deepEqual([listed.owner.email, listed.members], ['eva@example.com', 1])
    const { project: free } = (
      await world.client(token).post(new URL('/wolke/v1/projects', world.baseUrl).href, { name: 'b' })
    ).body
    const both = await Promise.all(
      [eva, janaId].map((person_id) =>
        jana.api('POST', `${own}/projects/${free.id}/members`, { person_id, role: 'owner' }),
      ),
    )
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 422])
  })

  test('are changed only with a fresh proof', async () => {
    const world = await open({ runActions: false })
    const { jana, at, ids } = await withMember(world, 'admin')
    world.clock.advance(10 * 60_000 + 1)
    for (const [method, path, body] of [
      ['PUT', `members/${ids.eva}`, { role: 'viewer' }],
      ['DELETE', `members/${ids.eva}`, undefined],
      ['POST', 'transfer', { person_id: ids.eva }],
      ['PUT', '', { owner_email: 'eva@example.com' }],
    ] as const) {
      assert.equal(
        (await jana.api(method, `${at}/${path}`.replace(/\/$/, ''), body)).body.error.code,
        'elevation_required',
      )
    }
  })
})
