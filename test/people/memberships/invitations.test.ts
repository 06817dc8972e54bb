/** Invitations, links for new passwords, mail with links, testers, and API tokens at the login. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManagementToken, revokeManagementToken } from '../../../src/kernel/access/management-tokens.ts'
import { createProject } from '../../../src/kernel/access/projects.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import { openLog } from '../../../src/kernel/process/log.ts'
import type { ProjectId } from '../../../src/kernel/scope.ts'
import {
  addMember,
  removeMember,
  roleIn,
  setGroupRole,
  setRole,
} from '../../../src/people/memberships/membership-store.ts'
import { makeTesterLink } from '../../../src/people/setup.ts'
import { forDatabasesInTurn, forEachDatabase, type World } from '../../kit/harness.ts'
import { mistyped } from '../../kit/samples/mistyped.ts'
import { adminEmail, own, password, setUp, signIn, TestBrowser } from '../kit/browser.ts'

/** An installation whose first administrator owns Project default. */
async function owned(world: World) {
  const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
  return { browser: await setUp(world), project: id }
}

const invitationsAt = (project: number) => `${own}/projects/${project}/invitations`

async function invite(browser: TestBrowser, project: number, email: string, role = 'member') {
  const { status, body, text } = await browser.api('POST', invitationsAt(project), { email, role })
  assert.equal(status, 201, text)
  return { invitation: body.invitation, link: body.link as string, code: (body.link as string)?.split('#')[1] ?? '' }
}

/** Makes a person with a role in a Project, who is signed in. */
async function member(world: World, by: TestBrowser, project: number, email: string, role: 'admin' | 'member') {
  const { person, link } = (await by.api('POST', `${own}/people`, { email })).body
  const browser = new TestBrowser(world)
  await browser.post('/console/reset/password', { code: link.split('#')[1], go: '1', password })
  await world.db.transact((tx) => addMember(tx, { projectId: project as ProjectId }, person.id, role))
  world.app.people.sessions.forget()
  return { browser, id: person.id as number }
}

forDatabasesInTurn('invitations', (open) => {
  test('make an account in the Project, once, with the role that was fixed', async () => {
    const world = await open({ runActions: false })
    const { browser, project } = await owned(world)
    const { code, link, invitation } = await invite(browser, project, 'Eva@Example.com', 'restricted')
    assert.equal(link, `${browser.origin}/console/invite#${code}`)
    assert.deepEqual(
      [invitation.email, invitation.role, invitation.inviter],
      ['eva@example.com', 'restricted', 'Jana Nord'],
    )
    const listed = (await browser.api('GET', invitationsAt(project))).body.invitations
    assert.deepEqual([listed.length, JSON.stringify(listed).includes(code)], [1, false])
    const eva = new TestBrowser(world)
    assert.match((await eva.post('/console/invite', { code })).text, /Jana Nord invites you to default as restricted/)
    const weak = await eva.post('/console/invite/accept', { code, name: 'Eva', password: 'short' })
    assert.equal(weak.status, 422)
    const accepted = await eva.post('/console/invite/accept', { code, name: 'Eva', password, role: 'admin' })
    assert.deepEqual([accepted.status, accepted.headers.location], [303, `/console/projects/${project}`], accepted.text)
    const servers = await eva.api('GET', `/console/api/projects/${project}/v1/servers`)
    assert.equal(servers.status, 200)
    const made = await eva.api('POST', `/console/api/projects/${project}/v1/volumes`, {
      name: 'v',
      size: 10,
      location: 'fsn1',
    })
    assert.deepEqual([made.status, made.body.error.details], [403, { needs: 'member', role: 'restricted' }])
    const again = await new TestBrowser(world).post('/console/invite/accept', { code, name: 'Evil', password })
    assert.equal(again.status, 403)
    assert.match(again.text, /does not count any more/)
  })

  test('are used once even by several at the same time', async () => {
    const world = await open({ runActions: false })
    const { browser, project } = await owned(world)
    const { code } = await invite(browser, project, 'eva@example.com')
    const replies = await Promise.all(
      ['a', 'b', 'c'].map((name) => new TestBrowser(world).post('/console/invite/accept', { code, name, password })),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [303, 403, 403])
  })

  test('count only for their address: others who are signed in cannot take them, nor without signing in', async () => {
    const world = await open({ runActions: false })
    const { browser, project } = await owned(world)
    const { project: other } = {
      project: (await world.db.transact((tx) => createProject(tx, 'two', timestamp(tx.now)))).id,
    }
    const eva = await member(world, browser, project, 'eva@example.com', 'admin')
    const max = await member(world, browser, project, 'max@example.com', 'member')
    await world.db.transact((tx) => addMember(tx, { projectId: other }, eva.id, 'owner'))
    world.app.people.sessions.forget()
    const { code } = await invite(eva.browser, other, 'max@example.com')
    const wrong = await browser.api('POST', `${own}/account/invitations/accept`, { code })
    assert.deepEqual([wrong.status, wrong.body.error.code], [403, 'forbidden'])
    assert.equal((await browser.post('/console/invite/accept', { code })).status, 403)
    const stranger = await new TestBrowser(world).post('/console/invite/accept', { code, name: 'Evil', password })
    assert.equal(stranger.status, 403)
    assert.equal(await roleIn(world.db.query, { projectId: other }, max.id), undefined)
    const right = await max.browser.api('POST', `${own}/account/invitations/accept`, { code })
    assert.deepEqual([right.status, right.body], [200, { project_id: other, role: 'member' }])
    const twice = await max.browser.api('POST', `${own}/account/invitations/accept`, { code })
    assert.equal(twice.status, 403)
  })

  test('end with the rights of who made them, with time, with a newer one, and when they are withdrawn', async () => {
    const world = await open({ runActions: false })
    const { browser, project } = await owned(world)
    const scope = { projectId: project }
    const eva = await member(world, browser, project, 'eva@example.com', 'admin')
    const isOpen = async (code: string) =>
      (await new TestBrowser(world).post('/console/invite', { code })).status === 200
    const first = await invite(eva.browser, project, 'new@example.com', 'admin')
    assert.equal(await isOpen(first.code), true)
    await world.db.transact((tx) => setRole(tx, scope, eva.id, 'member'))
    assert.equal(await isOpen(first.code), false)
    await world.db.transact((tx) => setRole(tx, scope, eva.id, 'admin'))
    assert.equal(await isOpen(first.code), true)
    await world.db.transact((tx) => removeMember(tx, scope, eva.id))
    assert.equal(await isOpen(first.code), false)
    const second = await invite(browser, project, 'new@example.com')
    const third = await invite(browser, project, 'new@example.com')
    assert.deepEqual([await isOpen(second.code), await isOpen(third.code)], [false, true])
    const at = `${invitationsAt(project)}/${third.invitation.id}`
    assert.equal((await browser.api('DELETE', at)).status, 204)
    assert.deepEqual([await isOpen(third.code), (await browser.api('DELETE', at)).status], [false, 404])
    const last = await invite(browser, project, 'new@example.com')
    world.clock.advance(7 * 86_400_000)
    assert.equal(await isOpen(last.code), false)
  })

  test('raise the role of who belongs to the Project already, and never lower it', async () => {
    const world = await open({ runActions: false })
    const { browser, project } = await owned(world)
    const eva = await member(world, browser, project, 'eva@example.com', 'member')
    const held = async () => {
      const { members } = (await browser.api('GET', `${own}/projects/${project}/members`)).body
      const { role, given_by } = members.find(({ person_id }: { person_id: number }) => person_id === eva.id)
      return [role, given_by]
    }
    const accept = async (role: string) => {
      const { code } = await invite(browser, project, 'eva@example.com', role)
      const { body } = await eva.browser.api('POST', `${own}/account/invitations/accept`, { code })
      return body.role
    }
    await world.db.transact(async (tx) => {
      await removeMember(tx, { projectId: project }, eva.id)
      await setGroupRole(tx, { projectId: project }, eva.id, 'restricted')
    })
    assert.equal(await accept('viewer'), 'restricted')
    assert.deepEqual(await held(), ['restricted', 'group'])
    assert.equal(await accept('admin'), 'admin')
    assert.deepEqual(await held(), ['admin', 'person'])
    assert.equal(await accept('viewer'), 'admin')
    const { code } = await invite(browser, project, adminEmail, 'viewer')
    const owner = await browser.api('POST', `${own}/account/invitations/accept`, { code })
    assert.deepEqual([owner.status, owner.body.role], [200, 'owner'])
    const { audit } = (await browser.api('GET', `${own}/projects/${project}/audit?operation=accept%20invitation`)).body
    assert.deepEqual(
      audit.map(({ resources, network }: { resources: unknown[]; network: string }) => [resources[1], network]),
      ['owner', 'admin', 'admin', 'restricted'].map((role) => [role, '127.0.0.1']),
    )
  })

  test('are made by admins, freshly proven, who give no more than they have', async () => {
    const world = await open({ runActions: false })
    const { browser, project } = await owned(world)
    const eva = await member(world, browser, project, 'eva@example.com', 'member')
    const asked = { email: 'x@example.com', role: 'viewer' }
    const lesser = await eva.browser.api('POST', invitationsAt(project), asked)
    assert.deepEqual([lesser.status, lesser.body.error.code], [403, 'forbidden'])
    assert.equal((await browser.api('POST', invitationsAt(project), { ...asked, role: 'owner' })).status, 422)
    assert.equal((await browser.api('POST', invitationsAt(project), { ...asked, email: 'nobody' })).status, 422)
    world.clock.advance(10 * 60_000 + 1)
    const stale = await browser.api('POST', invitationsAt(project), asked)
    assert.deepEqual([stale.status, stale.body.error.code], [403, 'elevation_required'])
  })

  test('look alike for addresses that have an account and those that have none', async () => {
    const world = await open({ runActions: false })
    const { browser, project } = await owned(world)
    await member(world, browser, project, 'eva@example.com', 'member')
    const shapes = [adminEmail, 'eva@example.com', 'nobody@example.com'].map(async (email) => {
      const { body, status } = await browser.api('POST', invitationsAt(project), { email, role: 'viewer' })
      const { invitation, link } = body
      return [status, Object.keys(invitation), link.replace(/#.*/, '')]
    })
    const [first, ...others] = await Promise.all(shapes)
    for (const other of others) assert.deepEqual(other, first)
  })
})

forEachDatabase('invitations of a management token', (open) => {
  test('bear its name, and end when it is revoked or expires', async () => {
    const world = await open({ runActions: false })
    const { browser, project } = await owned(world)
    const expires = world.clock.now() + 3_600_000
    const [lasting, ending] = [{ name: 'ci' }, { name: 'contractor', expires }]
    const made = async (given: typeof lasting | typeof ending, email: string) => {
      const { token } = await world.db.transact((tx) =>
        createManagementToken(tx, { ...given, created: timestamp(tx.now) }),
      )
      const url = `${new URL(world.baseUrl).origin}/wolke/v1/projects/${project}/invitations`
      const body = { email, role: 'admin' }
      const { status, body: reply } = await world.client(token).post(url, body)
      assert.deepEqual([status, reply.invitation.inviter], [201, given.name])
      return { token, code: reply.link.split('#')[1] as string }
    }
    const asked = (code: string) => new TestBrowser(world).post('/console/invite', { code })
    const accept = async (code: string) =>
      (await new TestBrowser(world).post('/console/invite/accept', { code, name: 'Mallory', password })).status
    const inviters = async () =>
      (await browser.api('GET', invitationsAt(project))).body.invitations.map(
        ({ inviter }: { inviter: string | null }) => inviter,
      )
    const first = await made(lasting, 'mallory@example.com')
    const second = await made(ending, 'eve@example.com')
    const third = await made(lasting, 'eva@example.com')
    assert.match((await asked(first.code)).text, /ci invites you to default as admin/)
    assert.deepEqual(await inviters(), ['ci', 'contractor', 'ci'])
    assert.ok(await world.db.transact((tx) => revokeManagementToken(tx, first.token)))
    assert.equal(await accept(first.code), 403)
    assert.deepEqual(await inviters(), [null, 'contractor', 'ci'])
    world.clock.advance(3_600_000)
    assert.equal(await accept(second.code), 403)
    assert.equal(await accept(third.code), 303)
  })
})

forDatabasesInTurn('links', (open) => {
  test('for a new password work once, for a day, end all sessions, and the newest one counts', async () => {
    const world = await open({ runActions: false })
    const { browser } = await owned(world)
    const { id } = (await browser.api('GET', `${own}/account`)).body.account
    const make = async () => (await browser.api('POST', `${own}/people/${id}/link`)).body.link.split('#')[1] as string
    const [old, code] = [await make(), await make()]
    const fresh = 'acht grüne Tassen singen'
    const use = (given: string, secret = fresh) =>
      new TestBrowser(world).post('/console/reset/password', { code: given, go: '1', password: secret })
    assert.equal((await use(old)).status, 403)
    const asked = await new TestBrowser(world).post('/console/reset/password', { code })
    assert.deepEqual([asked.status, asked.text.includes(adminEmail)], [200, true])
    assert.equal((await use(code, 'Password1234!')).status, 422)
    assert.equal((await use(code)).status, 303)
    assert.equal((await browser.api('GET', `${own}/account`)).status, 401)
    assert.equal((await use(code)).status, 403)
    assert.equal((await signIn(browser)).status, 401)
    assert.equal((await signIn(browser, adminEmail, fresh)).status, 303)
    const [late] = [await make()]
    world.clock.advance(86_400_000)
    assert.equal((await use(late)).status, 403)
  })

  test('go by mail when there is a mail server, to the public URL whatever the request says, and never to the log', async () => {
    const sent: { recipient: string; content: { facts: Readonly<Record<string, string>> } }[] = []
    const lines: string[] = []
    const log = openLog('trace', { write: (line) => void lines.push(line) })
    const world = await open({
      runActions: false,
      log,
      publicOrigins: ['https://cloud.example.com'],
      mail: { send: async (mail) => void sent.push(mail) },
    })
    const { browser, project } = await owned(world)
    const { link } = await invite(browser, project, 'eva@example.com')
    assert.equal(link, null)
    const made = await browser.api('POST', `${own}/people`, { email: 'max@example.com' })
    assert.equal(made.body.link, null)
    const asked = await new TestBrowser(world).post(
      '/console/reset',
      { email: adminEmail },
      { 'x-forwarded-host': 'evil.example' },
    )
    assert.equal(asked.status, 200)
    const { setImmediate: turn } = await import('node:timers/promises')
    while (sent.length < 3) await turn()
    assert.deepEqual(
      sent.map(({ recipient }) => recipient).sort(),
      ['eva@example.com', adminEmail, 'max@example.com'].sort(),
    )
    const secrets = sent.map(({ content }) => {
      assert.match(content.facts.Link!, /^https:\/\/cloud\.example\.com\/console\/(invite|reset)#[\w-]{43}$/)
      return content.facts.Link!.split('#')[1]!
    })
    const eva = new TestBrowser(world)
    const code = secrets[sent.findIndex(({ recipient }) => recipient === 'eva@example.com')]!
    await eva.post('/console/invite/accept', { code, name: 'Eva', password })
    const logged = lines.join('')
    assert.ok(logged.includes('/console/invite/accept'))
    for (const secret of [...secrets, password, eva.session?.[1] ?? '-', browser.session![1]]) {
      assert.ok(secret.length > 1 && !logged.includes(secret))
    }
  })

  test('without a mail server the link is shown once, to who asked, and is in no log and no mail', async () => {
    const lines: string[] = []
    const log = openLog('trace', { write: (line) => void lines.push(line) })
    const world = await open({ runActions: false, log })
    const { browser, project } = await owned(world)
    const { code } = await invite(browser, project, 'eva@example.com')
    await world.app.mailer.run()
    assert.match((await new TestBrowser(world).get('/console/reset')).text, /wolke person link/)
    assert.ok(lines.length > 0 && !lines.join('').includes(code))
  })

  test('one that signs a tester in without an account works once, and gives all rights', async () => {
    const world = await open({ runActions: false })
    const { id } = await world.db.transact((tx) => createProject(tx, 'default', timestamp(tx.now)))
    const code = await makeTesterLink(world.db)
    const tester = new TestBrowser(world)
    assert.match((await tester.get('/console/enter')).text, /data-auto[\s\S]*data-fragment/)
    const entered = await tester.post('/console/enter', { code })
    assert.deepEqual([entered.status, entered.headers.location], [303, '/console'])
    assert.equal((await new TestBrowser(world).post('/console/enter', { code })).status, 403)
    assert.equal((await tester.api('GET', `/console/api/projects/${id}/v1/servers`)).status, 200)
    world.clock.advance(3_600_000)
    assert.equal((await tester.api('POST', invitationsAt(id), { email: 'x@example.com', role: 'admin' })).status, 201)
    const second = new TestBrowser(world)
    assert.equal((await second.post('/console/enter', { code: await makeTesterLink(world.db) })).status, 303)
    assert.equal((await second.api('GET', `${own}/people`)).body.people.length, 1)
  })
})

forDatabasesInTurn('API tokens at the login', (open) => {
  test('open a session with their Project and their rights, for as long as they exist', async () => {
    const world = await open({ runActions: false })
    const project = (await world.db.query.selectFrom('project').select('id').orderBy('id').executeTakeFirstOrThrow()).id
    const at = `/console/api/projects/${project}/v1`
    const enter = async (token: string) => {
      const browser = new TestBrowser(world)
      return { browser, reply: await browser.post('/console/login/token', { token }) }
    }
    const { browser, reply } = await enter(world.api.token!)
    assert.equal(reply.status, 303)
    const key = await browser.api('POST', `${at}/placement_groups`, { name: 'one', type: 'spread' })
    assert.equal(key.status, 201, key.text)
    const reader = (await enter(world.readOnly.token!)).browser
    assert.equal((await reader.api('GET', `${at}/placement_groups`)).body.placement_groups.length, 1)
    const refused = await reader.api('POST', `${at}/placement_groups`, { name: 'two', type: 'spread' })
    assert.deepEqual([refused.status, refused.body.error.code], [401, 'token_readonly'])
    const foreign = (await enter(world.foreign.token!)).browser
    assert.equal((await foreign.api('GET', `${at}/servers`)).status, 404)
    for (const path of ['account', 'people']) assert.equal((await browser.api('GET', `${own}/${path}`)).status, 403)
    assert.equal((await enter(mistyped(world.api.token!))).reply.status, 401)
    assert.equal((await enter('')).reply.status, 401)
    const { revokeToken } = await import('../../../src/kernel/access/tokens.ts')
    await world.db.transact((tx) => revokeToken(tx, world.api.token!))
    world.app.people.sessions.forget()
    assert.equal((await browser.api('GET', `${at}/servers`)).status, 401)
  })
})
