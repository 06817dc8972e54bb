/** Administrators and roles that a provider names, for as long as it does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject, renameProject } from '../../../src/kernel/access/projects.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import { addMember } from '../../../src/people/memberships/membership-store.ts'
import type { LoggedEntry } from '../../kit/audit-log.ts'
import { until } from '../../kit/database/bare-database.ts'
import { beginDeletion, untilMet } from '../../kit/database/held.ts'
import type { World } from '../../kit/harness.ts'
import { besideProvider, known, openWith, provider, through } from '../kit/at-provider.ts'
import { own, setUp, TestBrowser } from '../kit/browser.ts'

besideProvider('an identity provider', (open) => {
  test('names administrators by verified address, and gives roles by group for as long as they are in it', async () => {
    const groups = [
      { group: 'ops', project: 'default', role: 'admin' },
      { group: 'staff', project: 'default', role: 'viewer' },
      { group: 'staff', project: 'nowhere', role: 'viewer' },
    ] as const
    const world: World = await openWith(open, { admins: ['root@example.com'], groups })
    const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const root = new TestBrowser(world)
    await through(root, known('root'))
    const { account } = (await root.api('GET', `${own}/account`)).body
    assert.equal(account.installation_role, 'admin')
    assert.equal((await root.api('GET', `/console/api/projects/${id}/v1/servers`)).status, 200)
    const roleOf = async (groupNames: readonly string[]) => {
      const browser = new TestBrowser(world)
      await through(browser, known('eve', { groups: groupNames }))
      const made = await browser.api('POST', `${own}/projects/${id}/invitations`, {
        email: 'x@example.com',
        role: 'viewer',
      })
      const read = await browser.api('GET', `/console/api/projects/${id}/v1/servers`)
      return [made.status, read.status]
    }
    assert.deepEqual(await roleOf(['staff', 'ops']), [201, 200])
    assert.deepEqual(await roleOf(['staff']), [403, 200])
    assert.deepEqual(await roleOf(['others']), [404, 404])
    assert.deepEqual(await roleOf(['others']), [404, 404])
    const { audit } = (await root.api('GET', `${own}/audit?family=people&per_page=1000`)).body
    const said = audit.map(({ actor, operation, project, resources, network }: LoggedEntry) => [
      ...[actor.name, operation, project?.name, resources[1], network],
    ])
    const [rights, at] = [said.filter(([, operation]: unknown[]) => operation !== 'sign in').reverse(), '127.0.0.1']
    assert.deepEqual(rights, [
      ['root@example.com', 'create account', undefined, undefined, at],
      ['root@example.com', 'become administrator', undefined, undefined, at],
      ['root@example.com', 'become owner', 'default', 'owner', at],
      ['eve@example.com', 'create account', undefined, undefined, at],
      ['eve@example.com', 'get role by group', 'default', 'admin', at],
      ['eve@example.com', 'get role by group', 'default', 'viewer', at],
      ['eve@example.com', 'lose role with group', 'default', 'viewer', at],
    ])
  })

  test('makes somebody who is known an administrator once, and lets in nobody who is disabled', async () => {
    const admins: string[] = []
    const world = await openWith(open, { admins })
    const admin = await setUp(world)
    const eve = new TestBrowser(world)
    await through(eve, known('eve'))
    admins.push('eve@example.com')
    for (let i = 0; i < 2; i++) await through(new TestBrowser(world), 'eve')
    const entries = async (query: string) => (await admin.api('GET', `${own}/audit?${query}`)).body.audit
    assert.equal((await entries('operation=become%20administrator')).length, 1)
    const { id } = (await eve.api('GET', `${own}/account`)).body.account
    await admin.api('PUT', `${own}/people/${id}`, { disabled: true })
    assert.equal((await through(new TestBrowser(world), 'eve')).reply.status, 403)
    const refused = () => entries('operation=sign%20in&outcome=forbidden&actor=eve@example.com')
    await until(async () => (await refused()).length === 1, 'the refusal is recorded')
  })

  test('ends roles that groups gave in Projects which are mapped no more', async () => {
    const groups: { group: string; project: string; role: 'viewer' }[] = [
      { group: 'staff', project: 'renamed', role: 'viewer' },
      { group: 'staff', project: 'left', role: 'viewer' },
    ]
    const world = await openWith(open, { groups })
    const make = (name: string) => world.db.transact((tx) => createProject(tx, name, timestamp(tx.now)))
    const made = [await make('renamed'), await make('left'), await make('by-hand')]
    const eve = known('eve', { groups: ['staff'] })
    const statuses = async () => {
      const browser = new TestBrowser(world)
      await through(browser, eve)
      const { id } = (await browser.api('GET', `${own}/account`)).body.account
      await world.db.transact((tx) => addMember(tx, { projectId: made[2]!.id }, id, 'viewer'))
      world.app.people.sessions.forget()
      const replies = made.map((one) => browser.api('GET', `/console/api/projects/${one.id}/v1/servers`))
      return (await Promise.all(replies)).map(({ status }) => status)
    }
    assert.deepEqual(await statuses(), [200, 200, 200])
    await world.db.transact((tx) => renameProject(tx, { projectId: made[0]!.id }, 'other'))
    assert.deepEqual(await statuses(), [404, 200, 200])
    groups.length = 0
    assert.deepEqual(await statuses(), [404, 404, 200])
  })

  test('takes nothing from who has become the owner of a Project, whatever the groups say then', async () => {
    const groups = [{ group: 'staff', project: 'shared', role: 'viewer' as const }]
    const world = await openWith(open, { groups })
    const { id } = await world.db.transact((tx) => createProject(tx, 'shared', timestamp(tx.now)))
    const jana = await setUp(world)
    const eve = new TestBrowser(world)
    await through(eve, known('eve', { groups: ['staff'] }))
    const eveId = (await eve.api('GET', `${own}/account`)).body.account.id as number
    const janaId = (await jana.api('GET', `${own}/account`)).body.account.id as number
    await world.db.transact((tx) => addMember(tx, { projectId: id }, janaId, 'owner'))
    world.app.people.sessions.forget()
    assert.equal((await jana.api('POST', `${own}/projects/${id}/transfer`, { person_id: eveId })).status, 200)
    for (const names of [['staff'], []]) {
      const again = new TestBrowser(world)
      await through(again, known('eve', { groups: names }))
      const { members } = (await again.api('GET', `${own}/projects/${id}/members`)).body
      const own1 = members.find(({ person_id }: { person_id: number }) => person_id === eveId)
      assert.equal(own1?.role, 'owner')
    }
  })

  test('signs in who would get a role or become the owner in a Project that is deleted meanwhile', async () => {
    const groups = [{ group: 'staff', project: 'shared', role: 'viewer' as const }]
    const world = await openWith(open, { admins: ['eve@example.com'], groups })
    const cases = [
      { project: 'shared', name: known('joe', { groups: ['staff'] }) },
      { project: 'default', name: known('eve') },
    ]
    for (const { project, name } of cases) {
      const { id } = await world.db.transact((tx) => createProject(tx, project, timestamp(tx.now)))
      const browser = new TestBrowser(world)
      const gone = await browser.get('/console/login/oidc', { 'sec-fetch-site': 'same-origin' })
      const back = new URL(await provider.signIn(String(gone.headers.location), name))
      const finish = await beginDeletion(world, id)
      const pending = browser.get(back.pathname + back.search, { 'sec-fetch-site': 'cross-site' })
      await untilMet(world, pending)
      await finish()
      const { status, text } = await pending
      assert.ok(status < 400, text)
      assert.equal((await browser.api('GET', `${own}/account`)).status, 200)
      assert.equal((await browser.api('GET', `/console/api/projects/${id}/v1/servers`)).status, 404)
    }
  })
})
