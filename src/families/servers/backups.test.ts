import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { forDatabasesInTurn, testClock, type World } from '../../../test/kit/harness.ts'
import { expect, settleAll } from '../../../test/kit/resources.ts'
import { families, type Simulation, simulate } from '../../families.ts'
import { Engine } from '../../kernel/actions/engine.ts'
import { openLog } from '../../kernel/process/log.ts'
import { allow, newFirewall } from '../firewalls/proof.ts'
import { backupWindowOf, openWindow } from './domain.ts'
import { command, newServer, serverOf } from './proof.ts'

interface Image {
  readonly id: number
  readonly type: string
  readonly status: string
  readonly bound_to: number | null
  readonly created: string
}

async function makeServer(world: World, name = 'web', options: object = {}): Promise<number> {
  const id = await newServer(world.api, name, options)
  await world.settle()
  return id
}

async function makeImage(world: World, server: number, body: object = {}): Promise<Image> {
  const { image } = expect(await command(world.api, server, 'create_image', body), 201).body
  await world.settle()
  return expect(await world.api.get(`/images/${image.id}`), 200).body.image
}

async function backupsOf({ api }: World, server: number): Promise<Image[]> {
  return expect(await api.get(`/images?type=backup&bound_to=${server}&per_page=50`), 200).body.images
}

/** A time inside the server's window on a day of November 2026. */
function inWindow(server: number, day: number): string {
  const hour = (Number(backupWindowOf(server).slice(0, 2)) + 1) % 24
  return `2026-11-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:30:00Z`
}

test('six windows of four hours cover the day; the one that spans midnight belongs to the day it opened on', () => {
  const at = (time: string) => openWindow(Date.parse(time))
  assert.deepEqual(at('2026-11-21T21:59:59Z'), { window: '18-22', day: '2026-11-21' })
  assert.deepEqual(at('2026-11-21T22:00:00Z'), { window: '22-02', day: '2026-11-21' })
  assert.deepEqual(at('2026-11-22T01:59:59Z'), { window: '22-02', day: '2026-11-21' })
  assert.deepEqual(at('2026-11-22T02:00:00Z'), { window: '02-06', day: '2026-11-22' })
  const windows = new Set(Array.from({ length: 24 }, (_, id) => backupWindowOf(10_000_000_000 + id)))
  assert.deepEqual([...windows].sort(), ['02-06', '06-10', '10-14', '14-18', '18-22', '22-02'])
})

/** Runs what waits, in a process whose infrastructure has nothing of what others made. */
async function settleElsewhere({ db, secrets }: World): Promise<Simulation> {
  const elsewhere = simulate({ delayMs: 0 })
  const definitions = families.flatMap((family) => family.actions)
  await new Engine({ db, drivers: elsewhere.drivers, secrets, log: openLog('silent'), definitions, retryMs: 1 }).idle()
  return elsewhere
}

forDatabasesInTurn('images of servers', (open, inProcesses) => {
  test('a server that the infrastructure has lost is made again, behind its packet filter, before it is copied', async () => {
    const world = await open({ runActions: false })
    const firewall = await newFirewall(world.api, 'web', { rules: [allow('443')] })
    const server = await makeServer(world, 'web', { firewalls: [{ firewall }] })
    const before = await makeImage(world, server)
    const { image } = expect(await command(world.api, server, 'create_image'), 201).body
    const elsewhere = await settleElsewhere(world)
    const after = expect(await world.api.get(`/images/${image.id}`), 200).body.image
    assert.deepEqual({ ...after, id: 0, description: '' }, { ...before, id: 0, description: '' })
    const [here, there] = [world.simulation.world, elsewhere.world]
    const stateIn = ({ servers }: Simulation['world']) => ({ ...servers.get(server)!.state, generation: 0 })
    assert.deepEqual(stateIn(there), stateIn(here))
    assert.deepEqual(there.filters.get(server), here.filters.get(server))
    assert.deepEqual([...there.images.keys()], [image.id])
  })

  test('a snapshot is creating until its action succeeds, and then has its size', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world)
    const asked = { description: 'before the update', labels: { kept: 'yes' } }
    const { image, action } = expect(await command(world.api, id, 'create_image', asked), 201).body
    assert.deepEqual([action.command, action.status, action.progress], ['create_image', 'running', 0])
    assert.deepEqual(action.resources, [
      { id, type: 'server' },
      { id: image.id, type: 'image' },
    ])
    const creating = {
      id: image.id,
      type: 'snapshot',
      status: 'creating',
      name: null,
      description: 'before the update',
      image_size: null,
      disk_size: (await serverOf(world.api, id)).primary_disk_size,
      created: '2026-11-21T12:00:00Z',
      created_from: { id, name: 'web' },
      bound_to: null,
      os_flavor: 'debian',
      os_version: '12',
      architecture: 'x86',
      rapid_deploy: false,
      protection: { delete: false },
      labels: { kept: 'yes' },
      deprecation: null,
      deleted: null,
    }
    assert.deepEqual(image, creating)
    assert.equal((await serverOf(world.api, id)).locked, true)
    expect(await command(world.api, id, 'create_image', {}), 423, 'locked')
    expect(await world.api.delete(`/servers/${id}`), 423, 'locked')
    expect(await world.api.delete(`/images/${image.id}`), 423, 'locked')
    await world.settle()
    const { image: made } = (await world.api.get(`/images/${image.id}`)).body
    assert.ok(made.image_size > 0)
    assert.deepEqual(made, { ...creating, status: 'available', image_size: made.image_size })
    assert.equal((await serverOf(world.api, id)).status, 'running')
    expect(await world.foreign.get(`/images/${image.id}`), 404)
    await checkConsistency(world)
  })

  test('a copy that fails leaves no image, an action in error and the server free', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world)
    world.simulation.behave(({ method }) => (method === 'capture' ? 'error after effect' : undefined))
    const { image, action } = (await command(world.api, id, 'create_image', {})).body
    await world.settle()
    const failed = (await world.api.get(`/actions/${action.id}`)).body.action
    assert.deepEqual([failed.status, failed.error.code], ['error', 'action_failed'])
    expect(await world.api.get(`/images/${image.id}`), 404)
    assert.equal(world.simulation.world.images.size, 0)
    assert.equal((await serverOf(world.api, id)).locked, false)
    await checkConsistency(world)
  })

  test('data of a deleted image that could not be removed is removed by a later job', async () => {
    const world = await open({ runActions: false })
    const image = await makeImage(world, await makeServer(world))
    world.simulation.behave(() => 'error before effect')
    expect(await world.api.delete(`/images/${image.id}`), 204)
    await world.settle()
    expect(await world.api.get(`/images/${image.id}`), 404)
    assert.equal(world.simulation.world.images.size, 1)
    world.simulation.behave(() => undefined)
    await world.app.jobs.run()
    await world.settle()
    assert.equal(world.simulation.world.images.size, 0)
    await world.app.jobs.run()
    const commands = (await world.api.get('/images/actions?sort=id')).body.actions.map(
      (a: { command: string }) => a.command,
    )
    assert.equal(commands.filter((command: string) => command === 'delete_image').length, 2)
    await checkConsistency(world)
  })

  test('backups need to be enabled, and disabling deletes them all', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world)
    const refused = expect(await command(world.api, id, 'create_image', { type: 'backup' }), 422, 'invalid_input')
    assert.equal(refused.body.error.details.fields[0].name, 'type')
    const enabled = expect(await command(world.api, id, 'enable_backup'), 201).body.action
    assert.deepEqual([enabled.command, enabled.status], ['enable_backup', 'success'])
    assert.equal((await serverOf(world.api, id)).backup_window, backupWindowOf(id))
    const backup = await makeImage(world, id, { type: 'backup' })
    assert.deepEqual([backup.type, backup.bound_to], ['backup', id])
    const snapshot = await makeImage(world, id)
    const disabled = expect(await command(world.api, id, 'disable_backup'), 201).body.action
    assert.deepEqual([disabled.command, disabled.status], ['disable_backup', 'success'])
    assert.equal((await serverOf(world.api, id)).backup_window, null)
    expect(await world.api.get(`/images/${backup.id}`), 404)
    expect(await world.api.get(`/images/${snapshot.id}`), 200)
    await world.settle()
    assert.deepEqual([...world.simulation.world.images.keys()], [snapshot.id])
    await checkConsistency(world)
  })

  test('an eighth backup drops the oldest, once it is complete', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world)
    await command(world.api, id, 'enable_backup')
    const made: number[] = []
    for (let i = 0; i < 7; i++) made.push((await makeImage(world, id, { type: 'backup' })).id)
    world.simulation.behave(({ method }) => (method === 'capture' ? 'error before effect' : undefined))
    await command(world.api, id, 'create_image', { type: 'backup' })
    await world.settle()
    assert.deepEqual(
      (await backupsOf(world, id)).map((image) => image.id),
      made,
    )
    world.simulation.behave(() => undefined)
    made.push((await makeImage(world, id, { type: 'backup' })).id)
    assert.deepEqual(
      (await backupsOf(world, id)).map((image) => image.id),
      made.slice(1),
    )
    await checkConsistency(world)
  })

  test('backups go with their server; snapshots and what was converted stay', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world)
    await command(world.api, id, 'enable_backup')
    const [backup, converted] = [
      await makeImage(world, id, { type: 'backup' }),
      await makeImage(world, id, { type: 'backup' }),
    ]
    const snapshot = await makeImage(world, id)
    const { image } = expect(await world.api.put(`/images/${converted.id}`, { type: 'snapshot' }), 200).body
    assert.deepEqual(image, { ...converted, type: 'snapshot', bound_to: null })
    expect(await world.api.put(`/images/${converted.id}`, { type: 'backup' }), 422, 'invalid_input')
    assert.deepEqual((await world.api.put(`/images/${converted.id}`, { type: 'snapshot' })).body.image, image)
    expect(await world.api.delete(`/servers/${id}`), 200)
    await world.settle()
    expect(await world.api.get(`/images/${backup.id}`), 404)
    assert.deepEqual(
      (await world.api.get('/images?type=snapshot&type=backup')).body.images.map((one: Image) => one.id),
      [converted.id, snapshot.id],
    )
    assert.equal((await world.api.get(`/images/${snapshot.id}`)).body.image.created_from.id, id)
    await checkConsistency(world)
  })

  test('a server is made from a snapshot of its architecture whose disk fits, and shows it until it is deleted', async () => {
    const world = await open({ runActions: false })
    const snapshot = await makeImage(world, await makeServer(world))
    const id = await makeServer(world, 'copy', { image: String(snapshot.id) })
    const copy = await serverOf(world.api, id)
    assert.deepEqual(copy.image, snapshot)
    assert.equal(world.simulation.world.servers.get(id)?.state.image, snapshot.id)
    for (const [type, message] of [
      ['cax11', 'image has wrong architecture'],
      ['cx23', 'image is larger than the disk of the server type'],
    ] as const) {
      const options = { name: `on-${type}`, server_type: type, image: snapshot.id }
      const refused = expect(await world.api.post('/servers', options), 422, 'invalid_input')
      assert.deepEqual(refused.body.error.details.fields, [{ name: 'image', messages: [message] }])
    }
    const creating = (await command(world.api, id, 'create_image', {})).body.image
    const early = await world.api.post('/servers', { name: 'early', server_type: 'cpx22', image: creating.id })
    expect(early, 422, 'invalid_input')
    await world.settle()
    expect(await world.api.delete(`/images/${snapshot.id}`), 204)
    await world.settle()
    assert.equal((await serverOf(world.api, id)).image, null)
    expect(
      await world.api.post('/servers', { name: 'late', server_type: 'cpx22', image: snapshot.id }),
      422,
      'invalid_input',
    )
    // Where it came from is not known any more.
    assert.equal((await makeImage(world, id)).status, 'available')
    await checkConsistency(world)
  })

  test('a snapshot that is deleted while a server is made from it is removed after that', async () => {
    const world = await open({ runActions: false })
    const snapshot = await makeImage(world, await makeServer(world))
    const id = await newServer(world.api, 'copy', { image: snapshot.id })
    expect(await world.api.delete(`/images/${snapshot.id}`), 204)
    const order: string[] = []
    world.simulation.behave(({ driver, method }) => void order.push(`${driver} ${method}`))
    await world.settle()
    await world.app.jobs.run()
    await world.settle()
    assert.equal((await serverOf(world.api, id)).status, 'running')
    assert.ok(order.indexOf('images remove') > order.indexOf('servers apply'), order.join())
    assert.equal(world.simulation.world.images.size, 0)
  })

  test('rebuild writes an image to the disk, switches the server on and gives a password where there are no keys', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world, 'web', { user_data: 'first', start_after_create: false })
    const { action, root_password } = expect(await command(world.api, id, 'rebuild', { image: 'debian-13' }), 201).body
    assert.deepEqual([action.command, action.resources], ['rebuild_server', [{ id, type: 'server' }]])
    assert.match(root_password, /^[a-zA-Z0-9]{20}$/)
    const rebuilding = await serverOf(world.api, id)
    assert.deepEqual([rebuilding.status, rebuilding.locked], ['rebuilding', true])
    await world.settle()
    const server = await serverOf(world.api, id)
    assert.deepEqual([server.status, server.image.name, server.locked], ['running', 'debian-13', false])
    const outside = () => world.simulation.world.servers.get(id)!
    assert.deepEqual([outside().installs, outside().state.userData], [2, 'first'])
    const snapshot = await makeImage(world, id)
    expect(await command(world.api, id, 'rebuild', { image: snapshot.id, user_data: 'second' }), 201)
    await world.settle()
    assert.deepEqual([outside().installs, outside().state.userData, outside().state.image], [3, 'second', snapshot.id])
    for (const image of ['no-such', 4711, 161547270]) {
      expect(await command(world.api, id, 'rebuild', { image }), 422, 'invalid_input')
    }
    expect(
      await command(world.api, id, 'rebuild', { image: 'debian-13', user_data: 'x'.repeat(32_769) }),
      422,
      'invalid_input',
    )
    await command(world.api, id, 'change_protection', { delete: true, rebuild: true })
    expect(await command(world.api, id, 'rebuild', { image: 'debian-13' }), 423, 'protected')
    await checkConsistency(world)
  })

  test('a rebuild that fails leaves the server with its former image and power', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world, 'web', { user_data: 'first', start_after_create: false })
    let calls = 0
    world.simulation.behave(() => (calls++ === 0 ? 'error after effect' : undefined))
    expect(await command(world.api, id, 'rebuild', { image: 'debian-13', user_data: 'second' }), 201)
    await world.settle()
    const server = await serverOf(world.api, id)
    assert.deepEqual([server.status, server.image.name, server.locked], ['off', 'debian-12', false])
    assert.equal(world.simulation.world.servers.get(id)?.state.userData, 'first')
    await checkConsistency(world)
  })

  test('a limit of images holds for those that are asked for', async () => {
    const world = await open({ runActions: false, limits: { images: 1 } })
    const id = await makeServer(world)
    await makeImage(world, id)
    const refused = expect(await command(world.api, id, 'create_image', {}), 403, 'resource_limit_exceeded')
    assert.deepEqual(refused.body.error.details, { limits: [{ name: 'images' }] })
    const [image] = (await world.api.get('/images?type=snapshot')).body.images
    expect(await world.api.delete(`/images/${image.id}`), 204)
    expect(await command(world.api, id, 'create_image', {}), 201)
  })

  test('the clock makes one backup a day in the window of each server that wants one', async () => {
    const clock = testClock('2026-11-01T00:00:00Z')
    const world = await open({ runActions: false, clock })
    const [id, other] = [await makeServer(world), await makeServer(world, 'other')]
    await command(world.api, id, 'enable_backup')
    const tick = async () => {
      await world.app.jobs.run()
      await world.settle()
    }
    for (let day = 2; day <= 10; day++) {
      clock.set(inWindow(id, day))
      await tick()
      await tick()
      clock.advance(6 * 3_600_000)
      await tick()
      assert.equal((await backupsOf(world, id)).length, Math.min(7, day - 1))
    }
    const days = (await backupsOf(world, id)).map(({ created }) => created)
    assert.deepEqual(
      days,
      [4, 5, 6, 7, 8, 9, 10].map((day) => inWindow(id, day)),
    )
    assert.deepEqual(await backupsOf(world, other), [])
    await command(world.api, id, 'disable_backup')
    clock.set(inWindow(id, 11))
    await tick()
    assert.deepEqual(await backupsOf(world, id), [])
    await checkConsistency(world)
  })

  test('a server that is locked is backed up later in its window', async () => {
    const clock = testClock('2026-11-01T00:00:00Z')
    const world = await open({ runActions: false, clock })
    const id = await makeServer(world)
    await command(world.api, id, 'enable_backup')
    clock.set(inWindow(id, 2))
    expect(await command(world.api, id, 'reboot'), 201)
    await world.app.jobs.run()
    await world.settle()
    assert.deepEqual(await backupsOf(world, id), [])
    await world.app.jobs.run()
    await world.settle()
    assert.equal((await backupsOf(world, id)).length, 1)
  })

  inProcesses(() => {
    test('two processes over one database make one backup', async () => {
      const clock = testClock('2026-11-01T00:00:00Z')
      const first = await open({ runActions: false, clock })
      const ids: number[] = []
      for (let i = 0; i < 6; i++) ids.push(await makeServer(first, `s${i}`))
      for (const id of ids) await command(first.api, id, 'enable_backup')
      const { database, simulation } = first
      const second = await open({ runActions: false, clock, database, simulation })
      for (let hour = 0; hour < 24; hour += 1) {
        clock.set(`2026-11-02T${String(hour).padStart(2, '0')}:30:00Z`)
        await Promise.all([first, second].map(({ app }) => app.jobs.run()))
        await settleAll(first, second)
      }
      for (const id of ids) {
        // The window that spans midnight opens twice in a calendar day.
        const expected = backupWindowOf(id) === '22-02' ? 2 : 1
        assert.equal((await backupsOf(first, id)).length, expected)
      }
      await checkConsistency(first)
    })
  })
})
