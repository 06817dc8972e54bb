/** What operators see of the whole installation, and what callers are told of all their Projects at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIds } from '../../src/doctor/diagnosis.ts'
import { serverBody } from '../../src/families/servers/proof.ts'
import { limitedPaths } from '../../src/families.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { processName } from '../../src/kernel/process/identity.ts'
import { emptyProject, loggedMail, manager } from '../../src/management/proof.ts'
import { percentOf, rounded, sum, times } from '../../src/protocols/net/decimal.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { firstProject, scopedClient } from '../kit/http/scoped-clients.ts'
import { done } from '../kit/proof.ts'
import { assertRefused } from '../kit/refusals.ts'
import { setUp } from '../people/kit/browser.ts'

const own = ({ baseUrl }: World, path: string) => `${new URL(baseUrl).origin}/wolke/v1${path}`

interface Listed {
  readonly id: number
  readonly name: string
  readonly limits: readonly { readonly kind: string; readonly limit: number | null; readonly used: number | null }[]
}

forEachDatabase('the installation', (open) => {
  test('shows operators all Projects with owners, what they hold and their limits', async () => {
    const world = await open({ runActions: false, limits: { servers: 7 } })
    const api = await manager(world)
    const admin = await setUp(world)
    const { email } = (await admin.api('GET', '/console/api/wolke/v1/account')).body.account
    const created = await admin.api('POST', '/console/api/wolke/v1/projects', {
      name: 'team',
      owner_email: 'a@b.example',
    })
    const { id } = created.body.project
    assert.equal(created.body.project.role, 'owner')
    assert.equal((await admin.api('GET', `/console/api/wolke/v1/projects/${id}`)).body.project.role, 'owner')
    await done(world.api.post('/servers', serverBody('web')))
    const limits = { servers: 3, network_members: 5 }
    const set = await done(api.put(own(world, `/projects/${id}/limits`), { limits }))
    assert.deepEqual(
      set.limits.map(({ kind }: { kind: string }) => kind),
      limitedPaths,
    )
    const { projects } = (await admin.api('GET', '/console/api/wolke/v1/installation/projects')).body
    const named = (name: string) => projects.find((one: Listed) => one.name === name)
    const limitOf = (one: Listed, of = 'servers') => one.limits.find(({ kind }) => kind === of)
    assert.deepEqual(
      [named('team').owner.email, named('team').owner_email, named('team').members],
      [email, 'a@b.example', 1],
    )
    assert.deepEqual([named('second').owner, named('second').members, named('second').resources], [null, 0, {}])
    assert.deepEqual(limitOf(named('team')), { kind: 'servers', limit: 3, own: true, used: 0 })
    const members = { kind: 'network_members', limit: 5, own: true, used: null }
    assert.deepEqual(limitOf(named('team'), 'network_members'), members)
    assert.deepEqual(limitOf(named('first')), { kind: 'servers', limit: 7, own: false, used: 1 })
    const paged = await done(api.get(own(world, '/installation/projects?per_page=1&page=2')))
    assert.deepEqual([paged.projects.length, paged.meta.pagination.total_entries], [1, projects.length])
  })

  test('lets operators delete empty Projects of others, and says what is left in full ones', async () => {
    const world = await open({ runActions: false })
    const admin = await setUp(world)
    const at = (id: number) => `/console/api/wolke/v1/installation/projects/${id}`
    const [full, empty] = [await firstProject(world), await emptyProject(world)]
    await done(world.api.post('/servers', serverBody('web')))
    const refused = await admin.api('DELETE', at(full))
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'project_not_empty'])
    assert.equal(refused.body.error.details.resources.servers, 1)
    assert.equal((await admin.api('DELETE', at(empty))).status, 204)
    assert.equal((await admin.api('DELETE', at(empty))).status, 404)
    const { audit } = (await admin.api('GET', `/console/api/wolke/v1/audit?project=${empty}`)).body
    assert.equal(audit[0].operation, 'DELETE /wolke/v1/installation/projects/{project_id}')
  })

  test('lists mail, newest first, and sends again what was not sent', async () => {
    const world = await open({ runActions: false })
    const api = await manager(world)
    const project = await firstProject(world)
    await loggedMail(world, project)
    await loggedMail(world, project)
    const list = async (query = '') =>
      (await done(api.get(own(world, `/installation/mail${query}`)))) as { mail: never[] }
    const { mail } = (await list()) as { mail: { id: number; state: string; subject: string }[] }
    assert.deepEqual(
      mail.map(({ state, subject }) => [state, subject]),
      Array(2).fill(['logged', 'A certificate ends']),
    )
    assert.ok(mail[0]!.id > mail[1]!.id)
    const again = await done(api.post(own(world, `/installation/mail/${mail[1]!.id}/retry`)))
    assert.deepEqual(
      [again.mail.state, again.mail.recipient, again.mail.project.name],
      ['waiting', 'ops@example.com', 'first'],
    )
    assert.notEqual(again.mail.next_attempt, null)
    assert.equal((await list('?state=waiting')).mail.length, 1)
    assert.equal((await list(`?before=${mail[0]!.id}&state=logged&state=waiting`)).mail.length, 1)
    assertRefused(await api.get(own(world, '/installation/mail?state=lost')), 'invalid_input')
  })

  test('tells how the process, its database, its queues and its jobs are', async () => {
    const world = await open({ runActions: false })
    const api = await manager(world)
    const ask = async () => (await done(api.get(own(world, '/installation/health')))).health
    const before = await ask()
    assert.deepEqual(before.queues.actions, { waiting: 0, oldest: null })
    assert.ok(before.jobs.length > 5)
    assert.ok(before.jobs.every((job: { last_run: string | null }) => job.last_run === null))
    await done(world.api.post('/servers', serverBody('web')))
    world.clock.advance(60_000)
    await world.app.jobs.run()
    const { database, queues, jobs, started, now } = await ask()
    assert.deepEqual([database.reads, database.writes, database.state], ['ok', 'ok', 'ok'])
    assert.ok(database.size > 10_000)
    assert.match(database.kind, /^(SQLite|PostgreSQL)$/)
    assert.ok(queues.actions.waiting > 0)
    assert.equal(queues.actions.oldest, '2026-11-21T12:00:00Z')
    assert.deepEqual([started, now], ['2026-11-21T12:00:00Z', '2026-11-21T12:01:00Z'])
    for (const job of jobs) assert.deepEqual([job.last_run, job.failed], [now, false], job.name)
    assert.equal(new Set(jobs.map(({ name }: { name: string }) => name)).size >= jobs.length - 2, true)
  })
})

forEachDatabase('a look at the installation', (open) => {
  test('tells operators what runs, what waits for what, and since when', async () => {
    const world = await open({ runActions: false })
    const api = await manager(world)
    const ask = async () => (await done(api.get(own(world, '/installation/status')))).status
    const before = await ask()
    assert.deepEqual([before.actions, before.queues, before.mail.waiting], [{ total: 0, oldest: [] }, [], 0])
    assert.equal(before.processes[0].name, processName)
    assert.ok(before.processes[0].jobs.length > 5)
    const { server } = await done(world.api.post('/servers', serverBody('web')))
    const { actions, queues } = await ask()
    assert.ok(actions.total > 0)
    const waiting = actions.oldest.find(({ command }: { command: string }) => command === 'create_server')
    assert.deepEqual(
      [waiting.resources.slice(0, 1), waiting.waits_for, waiting.step, waiting.worker],
      [[{ id: server.id, type: 'server' }], 'worker', 'create', null],
    )
    assert.equal(waiting.project.name, 'first')
    assert.ok(actions.oldest.some(({ waits_for: kind }: { waits_for: string }) => kind === 'queue'))
    assert.deepEqual(
      queues.map((one: { project: { name: string }; held: number }) => [one.project.name, one.held]),
      [['first', 0]],
    )
  })

  test('says what is wrong, and what to do', async () => {
    const world = await open({ runActions: false })
    const api = await manager(world)
    const ask = async () => (await done(api.get(own(world, '/installation/doctor')))).diagnoses
    const found = await ask()
    assert.deepEqual(
      [...new Set(found.map(({ check }: { check: string }) => check))],
      [...checkIds, 'certificates', 'zones'],
    )
    assert.deepEqual(
      found.filter(({ verdict }: { verdict: string }) => verdict === 'failure'),
      [],
    )
    await world.db.transact((tx) =>
      tx.query.insertInto('installation_secret').values({ name: 'foreign', kek_id: 'gone', sealed: 'x' }).execute(),
    )
    const locked = (await ask()).find(({ verdict }: { verdict: string }) => verdict === 'failure')
    assert.deepEqual([locked.check, locked.subject], ['keys', 'secrets'])
    assert.match(locked.seen, /^1 key of \d+ cannot be opened$/)
    assert.match(locked.advice, /--key-file/)
  })

  test('is for operators alone', async () => {
    const world = await open({ runActions: false })
    for (const path of ['/installation/status', '/installation/doctor'])
      assertRefused(await world.api.get(own(world, path)), 'forbidden')
  })
})

forEachDatabase('a summary of Projects', (open) => {
  test('counts what runs and what ends, and adds up what a month costs', async () => {
    const world = await open({ runActions: false })
    await done(world.api.post('/servers', serverBody('web')))
    await world.settle()
    const { id } = (await done(world.api.get('/servers'))).servers[0]
    await done(world.api.post(`/servers/${id}/actions/create_image`, { type: 'snapshot' }))
    await world.settle()
    // Of a size with which the sum lies between two amounts, where sums of floating point numbers go astray.
    const snapshotMb = 1_500
    await world.db.transact((tx) =>
      acrossProjects(tx.query)
        .updateTable('image')
        .set({ image_size_mb: snapshotMb })
        .where('type', '=', 'snapshot')
        .execute(),
    )
    await done(world.api.post('/volumes', { name: 'data', size: 100, location: 'fsn1' }))
    const [one] = (await done(world.api.get(own(world, '/projects?summary=true')))).projects
    const { pricing } = (await world.api.get('/pricing')).body
    const { server } = (await world.api.get('/servers')).body.servers.map((found: object) => ({ server: found }))[0]
    const place = server.datacenter?.location?.name ?? server.location.name
    const inPlace = (
      all: readonly { prices: readonly { location: string; price_monthly: { net: string; gross: string } }[] }[],
      index: number,
    ) => all[index]!.prices.find(({ location }) => location === place)!.price_monthly
    const type = pricing.server_types.findIndex(({ name }: { name: string }) => name === server.server_type.name)
    for (const kind of ['net', 'gross'] as const) {
      const expected = sum([
        inPlace(pricing.server_types, type)[kind],
        inPlace(pricing.primary_ips, 0)[kind],
        times(pricing.volume.price_per_gb_month[kind], 100),
        percentOf(pricing.image.price_per_gb_month[kind], String(snapshotMb / 10)),
      ])
      assert.equal(one.summary.monthly[kind], rounded(expected, 4), kind)
    }
    assert.equal(one.summary.monthly.currency, 'EUR')
    assert.equal(one.summary.ending_certificates, 0)
    assert.equal(one.summary.failed_resources, 0)
    assert.ok(one.summary.running_actions > 0)
    // No zone here has its name, so that it is not issued.
    await done(world.api.post('/certificates', { name: 'shop', type: 'managed', domain_names: ['shop.example.com'] }))
    await world.settle()
    const [after] = (await done(world.api.get(own(world, '/projects?summary=true')))).projects
    assert.deepEqual([after.summary.failed_resources, after.summary.ending_certificates], [1, 0])
    assert.equal(after.summary.running_actions, 0)
    const balance = async (name: string, target: object) => {
      const shape = { load_balancer_type: 'lb11', location: 'fsn1', services: [{ protocol: 'http' }] }
      await done(world.api.post('/load_balancers', { name, ...shape, targets: [target] }))
      await world.settle()
    }
    const failed = async () =>
      (await done(world.api.get(own(world, '/projects?summary=true')))).projects[0].summary.failed_resources
    await balance('www', { type: 'server', server: { id } })
    assert.equal(await failed(), 1, 'its target is healthy')
    await done(world.api.post(`/servers/${id}/actions/poweroff`))
    await world.settle()
    assert.equal(await failed(), 2, 'its target is off')
    await balance('shop', { type: 'label_selector', label_selector: { selector: 'role=none' } })
    assert.equal(await failed(), 3, 'it has nobody to send to')
  })

  test('is only made when it is asked for, and only of what the caller may see', async () => {
    const world = await open({ runActions: false })
    const summaries = async (path: string, client = world.api) =>
      (await done(client.get(own(world, path)))).projects.map(({ summary }: { summary: object | null }) => summary)
    assert.deepEqual(await summaries('/projects'), [null])
    assert.deepEqual(await summaries('/projects?summary=true', await scopedClient(world, { verbs: ['read'] })), [null])
    assert.equal((await summaries('/projects?summary=true', await manager(world))).includes(null), false)
    const admin = await setUp(world)
    const { projects } = (await admin.api('GET', '/console/api/wolke/v1/projects?summary=true')).body
    for (const { role, summary } of projects) assert.equal(summary === null, role === null)
    assert.ok(projects.some(({ role }: { role: string | null }) => role === null))
  })
})
