import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { type Client, forEachDatabase } from '../../../test/kit/harness.ts'
import { expect, outcomeOf, refused, settleAll } from '../../../test/kit/resources.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { newFirewall, toSelector } from '../firewalls/proof.ts'
import { command, newServer, serverBody, serverOf } from './proof.ts'

interface WireAction {
  readonly id: number
  readonly command: string
  readonly status: string
  readonly error: { readonly code: string; readonly message: string } | null
  readonly resources: readonly { id: number; type: string }[]
}

interface Named {
  readonly name: string
}

const create = (api: Client, options: object) => api.post('/servers', serverBody('a', options))
const powerActions = ['poweron', 'poweroff', 'shutdown', 'reboot', 'reset'] as const

forEachDatabase('servers', (open) => {
  test('a server has exactly the documented fields, each with its right value', async () => {
    const world = await open()
    const { api } = world
    const labels = { env: 'dev' }
    const created = expect(await create(api, { name: 'web.example.com', location: 'hel1', labels }), 201).body
    const { server } = created
    const { id } = server
    const ipv4 = server.public_net.ipv4
    const ipv6 = server.public_net.ipv6
    assert.match(ipv4.ip, /^192\.0\.2\.\d+$/)
    assert.match(ipv6.ip, /^2001:db8:[0-9a-f:]*::\/64$|^2001:db8::\/64$/)
    const expected = {
      id,
      name: 'web.example.com',
      status: 'initializing',
      created: '2026-11-21T12:00:00Z',
      public_net: {
        ipv4: {
          id: ipv4.id,
          ip: ipv4.ip,
          blocked: false,
          dns_ptr: `static.${ipv4.ip.split('.').reverse().join('.')}.clients.wolke.example`,
        },
        ipv6: { id: ipv6.id, ip: ipv6.ip, blocked: false, dns_ptr: [] },
        floating_ips: [],
        firewalls: [],
      },
      private_net: [],
      server_type: (await api.get('/server_types/109')).body.server_type,
      location: (await api.get('/locations/3')).body.location,
      image: (await api.get('/images/114690387')).body.image,
      iso: null,
      rescue_enabled: false,
      locked: true,
      backup_window: null,
      outgoing_traffic: null,
      ingoing_traffic: null,
      included_traffic: 20 * 2 ** 40,
      protection: { delete: false, rebuild: false },
      labels,
      volumes: [],
      load_balancers: [],
      primary_disk_size: 80,
      placement_group: null,
    }
    assert.deepEqual(server, expected)
    await settleAll(world)
    assert.deepEqual(await serverOf(api, id), { ...expected, status: 'running', locked: false })
    assert.deepEqual((await api.get('/servers')).body.servers, [await serverOf(api, id)])
    await checkConsistency(world)
  })

  test('a long page of the console has all of them, however many statements it takes', async () => {
    const { api, db, ...world } = await open({ runActions: false })
    const id = await newServer(api, 'web')
    const row = await acrossProjects(db.query)
      .selectFrom('server')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const copies = Array.from({ length: 120 }, (_, i) => ({ ...row, id: id + 1_000_000 + i, name: `web-${i}` }))
    await db.transact((tx) => acrossProjects(tx.query).insertInto('server').values(copies).execute())
    const { servers } = expect(await world.as('viewer').get('/servers?per_page=1000'), 200).body
    assert.equal(servers.length, 1 + copies.length)
  })

  test('foreign, deleted and unknown servers are not found, in the same words', async () => {
    const world = await open()
    const { api, foreign } = world
    const theirs = await newServer(foreign, 'a')
    const deleted = await newServer(api, 'a')
    await settleAll(world)
    await api.delete(`/servers/${deleted}`)
    await settleAll(world)
    const texts = new Set<string>()
    for (const id of [theirs, deleted, 99_000_000_000]) {
      for (const answer of [
        await api.get(`/servers/${id}`),
        await api.put(`/servers/${id}`, { name: 'x' }),
        await api.delete(`/servers/${id}`),
        await api.get(`/servers/${id}/actions`),
        await command(api, id, 'change_protection', { delete: true, rebuild: true }),
        ...(await Promise.all(powerActions.map((action) => command(api, id, action)))),
      ]) {
        texts.add(expect(answer, 404, 'not_found').text.replaceAll(String(id), '#'))
      }
    }
    assert.equal(texts.size, 1)
    assert.equal((await serverOf(foreign, theirs)).status, 'running')
  })

  test('a deletion answers 200 with its action; the server goes, its actions stay', async () => {
    const world = await open()
    const { api, simulation } = world
    const id = await newServer(api, 'a', { labels: { env: 'dev' } })
    await settleAll(world)
    const { action } = expect(await api.delete(`/servers/${id}`), 200).body
    assert.deepEqual([action.command, action.resources], ['delete_server', [{ id, type: 'server' }]])
    await settleAll(world)
    expect(await api.get(`/servers/${id}`), 404, 'not_found')
    expect(await api.get(`/servers/${id}/actions`), 404, 'not_found')
    assert.deepEqual((await api.get('/servers')).body.servers, [])
    assert.deepEqual((await api.get('/servers?label_selector=env')).body.servers, [])
    assert.equal(simulation.world.servers.size, 0)
    for (const path of [`/actions/${action.id}`, `/servers/actions/${action.id}`]) {
      assert.equal((await api.get(path)).body.action.status, 'success')
    }
    const commands = (await api.get('/servers/actions?sort=id')).body.actions.map((one: WireAction) => one.command)
    assert.deepEqual(commands, ['create_server', 'start_server', 'delete_server'])
    await newServer(api, 'a')
    await settleAll(world)
    await checkConsistency(world)
  })

  test('protection wants both values equal, and keeps a server from deletion', async () => {
    const world = await open()
    const { api } = world
    const id = await newServer(api, 'a')
    await settleAll(world)
    const protect = (body: unknown) => command(api, id, 'change_protection', body)
    for (const body of [{ delete: true }, { rebuild: true }, { delete: true, rebuild: false }]) {
      refused(await protect(body), 'delete', 'rebuild')
    }
    refused(await protect({ delete: 'yes', rebuild: 'yes' }), 'delete', 'rebuild')
    const { action } = expect(await protect({ delete: true, rebuild: true }), 201).body
    assert.deepEqual([action.command, action.status, action.progress], ['change_protection', 'success', 100])
    assert.deepEqual(action.resources, [{ id, type: 'server' }])
    assert.deepEqual((await outcomeOf(api, action)).status, 'success')
    assert.deepEqual((await serverOf(api, id)).protection, { delete: true, rebuild: true })
    expect(await api.delete(`/servers/${id}`), 423, 'protected')
    assert.equal((await serverOf(api, id)).status, 'running')
    expect(await command(api, id, 'poweroff'), 201)
    await settleAll(world)
    expect(await protect({}), 201)
    expect(await protect({ delete: true }), 201)
    refused(await protect({ delete: false }), 'delete', 'rebuild')
    expect(await protect({ delete: false, rebuild: false }), 201)
    expect(await api.delete(`/servers/${id}`), 200)
    await settleAll(world)
    await checkConsistency(world)
  })

  test('an update changes what it names, labels as a whole, and nothing else', async () => {
    const world = await open()
    const { api } = world
    const id = await newServer(api, 'a', { labels: { x: '1', y: '2' } })
    await settleAll(world)
    const before = await serverOf(api, id)
    assert.deepEqual(expect(await api.put(`/servers/${id}`, {}), 200).body.server, before)
    assert.deepEqual((await api.put(`/servers/${id}`, { name: 'b' })).body.server, { ...before, name: 'b' })
    const after = { ...before, name: 'b', labels: { y: '3' } }
    assert.deepEqual((await api.put(`/servers/${id}`, { labels: { y: '3' } })).body.server, after)
    for (const field of ['id', 'status', 'protection', 'image', 'server_type', 'version', 'project_id']) {
      expect(await api.put(`/servers/${id}`, { [field]: 1 }), 422, 'invalid_input')
    }
    assert.deepEqual(await serverOf(api, id), after)
    await checkConsistency(world)
  })

  test('who keeps losing against rivals hears conflict, and nothing of theirs is written', async () => {
    let rival: (() => Promise<unknown>) | undefined
    const faults = {
      reach: async (place: string) => void (place === 'update/server:before-write' && (await rival?.())),
    }
    const world = await open({ faults })
    const { api, db } = world
    const id = await newServer(api, 'a')
    const firewall = await newFirewall(api, 'f', { apply_to: [toSelector('x')] })
    await settleAll(world)
    let writes = 0
    rival = () =>
      db.transact((tx) =>
        acrossProjects(tx.query)
          .updateTable('server')
          .set({ name: `rival-${++writes}`, version: 1 + writes })
          .where('id', '=', id)
          .execute(),
      )
    expect(await api.put(`/servers/${id}`, { name: 'mine', labels: { x: '1' } }), 409, 'conflict')
    assert.equal(writes, 3)
    assert.equal((await serverOf(api, id)).name, 'rival-3')
    assert.deepEqual((await api.get(`/firewalls/${firewall}`)).body.firewall.applied_to[0].applied_to_resources, [])
    let once = 0
    rival = async () => {
      if (once++ === 0)
        await db.transact((tx) => acrossProjects(tx.query).updateTable('server').set({ version: 90 }).execute())
    }
    expect(await api.put(`/servers/${id}`, { name: 'mine' }), 200)
    await checkConsistency(world)
  })

  test('lists filter by name, status and labels, and sort by id, name and creation', async () => {
    const world = await open()
    const { api, clock } = world
    await newServer(api, 'b', { labels: { env: 'dev' } })
    clock.advance(1_000)
    await newServer(api, 'a', { start_after_create: false, labels: { env: 'prod' } })
    await settleAll(world)
    const names = async (query: string) => (await api.get(`/servers?${query}`)).body.servers.map((s: Named) => s.name)
    assert.deepEqual(await names(''), ['b', 'a'])
    assert.deepEqual(await names('sort=name'), ['a', 'b'])
    assert.deepEqual(await names('sort=created:desc'), ['a', 'b'])
    assert.deepEqual(await names('sort=id:desc'), ['a', 'b'])
    assert.deepEqual(await names('name=a'), ['a'])
    assert.deepEqual(await names('status=running'), ['b'])
    assert.deepEqual(await names('status=off'), ['a'])
    assert.deepEqual(await names('status=off&status=running'), ['b', 'a'])
    assert.deepEqual(await names('status=migrating'), [])
    assert.deepEqual(await names('label_selector=env'), ['b', 'a'])
    assert.deepEqual(await names('label_selector=env!%3Dprod'), ['b'])
    assert.deepEqual(await names('label_selector=env&status=off'), ['a'])
    refused(await api.get('/servers?status=asleep'), 'status')
    refused(await api.get('/servers?sort=status'), 'sort')
    refused(await api.get('/servers?label_selector=%3D'), 'label_selector')
    assert.equal((await api.get('/servers?per_page=1')).body.meta.pagination.next_page, 2)
  })

  test('the actions of a server are listed, filtered, sorted and found', async () => {
    const world = await open()
    const { api, foreign } = world
    const id = await newServer(api, 'a')
    const other = await newServer(api, 'b', { start_after_create: false })
    await settleAll(world)
    const list = async (path: string) => (await api.get(path)).body.actions.map((one: WireAction) => one.command)
    assert.deepEqual(await list(`/servers/${id}/actions`), ['create_server', 'start_server'])
    assert.deepEqual(await list(`/servers/${id}/actions?sort=command:desc`), ['start_server', 'create_server'])
    assert.deepEqual(await list(`/servers/${id}/actions?status=error`), [])
    assert.deepEqual(await list(`/servers/${other}/actions`), ['create_server'])
    assert.deepEqual((await list('/servers/actions')).length, 3)
    const [made] = (await api.get(`/servers/${id}/actions`)).body.actions
    const paths = [`/servers/${id}/actions/${made.id}`, `/servers/actions/${made.id}`, `/actions/${made.id}`]
    for (const path of paths) {
      assert.deepEqual((await api.get(path)).body, { action: made })
      expect(await foreign.get(path), 404, 'not_found')
    }
    expect(await api.get(`/servers/${other}/actions/${made.id}`), 404, 'not_found')
    assert.deepEqual(await list(`/servers/actions?id=${made.id}`), ['create_server'])
    refused(await api.get(`/servers/${id}/actions?sort=progress`), 'sort')
  })

  test('a read-only token reads servers and changes none', async () => {
    const world = await open()
    const { api, readOnly } = world
    const id = await newServer(api, 'a')
    await settleAll(world)
    expect(await readOnly.get(`/servers/${id}`), 200)
    const answers = [
      await create(readOnly, { name: 'b' }),
      await readOnly.put(`/servers/${id}`, { name: 'b' }),
      await readOnly.delete(`/servers/${id}`),
      await command(readOnly, id, 'change_protection', { delete: true, rebuild: true }),
      ...(await Promise.all(powerActions.map((action) => command(readOnly, id, action)))),
    ]
    for (const answer of answers) expect(answer, 401, 'token_readonly')
    assert.equal((await serverOf(api, id)).status, 'running')
  })
})
