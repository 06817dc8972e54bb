import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { forEachDatabase, forProjects, testClock, type World } from '../../../test/kit/harness.ts'
import { done } from '../../../test/kit/proof.ts'
import { assertRefused } from '../../../test/kit/refusals.ts'
import { expect, outcomeOf, refused } from '../../../test/kit/resources.ts'
import { builtIn } from '../../catalogue/built-in.ts'
import { openCatalogue } from '../../catalogue/catalogue.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { isPassword } from '../../kernel/secrets/password-hash.ts'
import { boxBody, boxOf, makeBox, makeSnapshot, makeSubaccount, password } from './proof.ts'

const off = {
  reachable_externally: false,
  samba_enabled: false,
  ssh_enabled: false,
  webdav_enabled: false,
  zfs_enabled: false,
}
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGb4E0cK+1Ea8AmYwyBjCpPhjmNCnbh44gdb2HpUn8E2 me@example'

const rowOf = async ({ db }: World, id: number) =>
  acrossProjects(db.query).selectFrom('storage_box').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

forProjects('Storage Boxes', (open) => {
  test('one is initializing without a name of its own, then active, with exactly the documented fields', async () => {
    const world = await open({ runActions: false })
    const { api, settle } = world
    const asked = { name: 'data', storage_box_type: 'bx11', location: 'fsn1', password }
    const { storage_box: made, action } = expect(await api.post('/storage_boxes', asked), 201).body
    const { storage_box_type: type } = (await api.get('/storage_box_types/1333')).body
    const { location } = (await api.get('/locations/1')).body
    const fields = {
      id: made.id,
      name: 'data',
      storage_box_type: type,
      location,
      access_settings: off,
      stats: { size: 0, size_data: 0, size_snapshots: 0 },
      labels: {},
      protection: { delete: false },
      snapshot_plan: null,
      created: made.created,
    }
    assert.deepEqual(made, { ...fields, status: 'initializing', username: null, server: null, system: null })
    assert.deepEqual(
      [action.command, action.status, action.resources],
      ['create', 'running', [{ id: made.id, type: 'storage_box' }]],
    )
    await settle()
    const { username, server, system, ...rest } = await boxOf(world, made.id)
    assert.deepEqual(rest, { ...fields, status: 'active' })
    assert.match(username, /^u\d+$/)
    assert.match(server, new RegExp(`^${username}\\.storage\\.`))
    assert.match(system, /^FSN1-BX\d{3}$/)
    assert.equal((await outcomeOf(api, action)).status, 'success')
    assert.deepEqual((await api.get(`/storage_boxes/actions/${action.id}`)).body.action.id, action.id)
  })

  test('both roots answer alike, and actions are found at the root of all', async () => {
    const world = await open({ runActions: false })
    const { api, baseUrl, settle } = world
    const storage = `${new URL(baseUrl).origin}/storage/v1`
    const { storage_box: box, action } = expect(await api.post(`${storage}/storage_boxes`, boxBody()), 201).body
    await settle()
    assert.equal((await api.get(`/actions/${action.id}`)).body.action.status, 'success')
    for (const path of ['', `/${box.id}`, `/${box.id}/actions`, `/${box.id}/snapshots`, `/actions/${action.id}`]) {
      const [there, here] = [await api.get(`${storage}/storage_boxes${path}`), await api.get(`/storage_boxes${path}`)]
      assert.deepEqual([there.status, there.body], [200, here.body], path)
    }
    assertRefused(await api.get(`${storage}/actions/${action.id}`), 'not_found')
    assertRefused(await api.get(`${storage}/storage_boxes/x`), 'not_found')
    assertRefused(await api.put(`${storage}/storage_boxes`, {}), 'method_not_allowed')
  })

  test('settings that are not named are off, and keys are those that OpenSSH writes', async () => {
    const world = await open()
    const id = await makeBox(world, {
      access_settings: { ssh_enabled: true },
      ssh_keys: [key],
      labels: { env: 'prod' },
    })
    const box = await boxOf(world, id)
    assert.deepEqual([box.access_settings, box.labels], [{ ...off, ssh_enabled: true }, { env: 'prod' }])
    assert.deepEqual(world.simulation.world.storageBoxes.get(id)!.state.accounts[0]!.keys, [key])
    const { api } = world
    refused(await api.post('/storage_boxes', boxBody({ ssh_keys: [key, 'ssh-rsa nonsense'] })), 'ssh_keys[1]')
  })

  test('it needs a type and a location that there are, and a name of its own', async () => {
    const { api, settle } = await open()
    const bad = boxBody({ storage_box_type: 'bx99', location: 'moon', password: 'short' })
    refused(await api.post('/storage_boxes', bad), 'storage_box_type', 'location', 'password')
    refused(await api.post('/storage_boxes', boxBody({ location: 'ash' })), 'location')
    const given = boxBody({ storage_box_type: 1334, location: 1 })
    expect(await api.post('/storage_boxes', given), 201)
    await settle()
    assertRefused(await api.post('/storage_boxes', given), 'uniqueness_error')
    const { name: _, ...nameless } = given
    refused(await api.post('/storage_boxes', nameless), 'name')
  })

  test('passwords have at least 12 characters of four kinds, and nobody hears of them again', async () => {
    const world = await open()
    const { api } = world
    const wrong = [
      'Sh0rt-pass!',
      'nothing-upper-1',
      'NOTHING-LOWER-1',
      'Nothing-numeric',
      'NothingSpecial1',
      `${password}€`,
    ]
    for (const bad of [...wrong, 'Aa1-'.repeat(33)]) {
      refused(await api.post('/storage_boxes', boxBody({ password: bad })), 'password')
    }
    for (const good of ['1-secret-PASSW0RD-=)', 'Größe-12-Zeichen°', 'Aa1-'.repeat(32)]) {
      const answer = expect(await api.post('/storage_boxes', boxBody({ password: good })), 201)
      assert.ok(!answer.text.includes(good))
      const { password_hash } = await rowOf(world, answer.body.storage_box.id)
      assert.match(password_hash, /^\$argon2id\$/)
      assert.ok(await isPassword(good, password_hash))
    }
  })

  test('a password is reset, and the former one is kept when that fails', async () => {
    const world = await open({ alone: true, runActions: false })
    const { api, settle, simulation } = world
    const id = await makeBox(world)
    const reset = (text: string) => api.post(`/storage_boxes/${id}/actions/reset_password`, { password: text })
    expect(await reset('Another-Box-2027!'), 201)
    await settle()
    assert.ok(await isPassword('Another-Box-2027!', (await rowOf(world, id)).password_hash))
    let fails = 1
    simulation.behave(({ method }) => (method === 'apply' && fails-- > 0 ? 'error before effect' : undefined))
    const { action } = expect(await reset(password), 201).body
    await settle()
    assert.equal((await outcomeOf(api, action)).status, 'error')
    const { password_hash, former_password_hash } = await rowOf(world, id)
    assert.equal(former_password_hash, null)
    assert.ok(await isPassword('Another-Box-2027!', password_hash))
    refused(await reset('weak'), 'password')
    assertRefused(
      await api.post('/storage_boxes/4000000000000000/actions/reset_password', { password: 'weak' }),
      'not_found',
    )
  })

  test('name and labels change, and a body without any of them changes nothing', async () => {
    const world = await open()
    const { api } = world
    const id = await makeBox(world)
    const changed = expect(await api.put(`/storage_boxes/${id}`, { name: 'other', labels: { a: 'b' } }), 200).body
    assert.deepEqual([changed.storage_box.name, changed.storage_box.labels], ['other', { a: 'b' }])
    assert.deepEqual(expect(await api.put(`/storage_boxes/${id}`, {}), 200).body, changed)
  })

  test('what is protected is not deleted; deleting answers with an action, and the box is there until that has ended', async () => {
    const world = await open({ runActions: false })
    const { api, settle } = world
    const id = await makeBox(world)
    await makeSnapshot(world, id)
    await makeSubaccount(world, id)
    const protect = (on: boolean) => api.post(`/storage_boxes/${id}/actions/change_protection`, { delete: on })
    expect(await protect(true), 201)
    assertRefused(await api.delete(`/storage_boxes/${id}`), 'protected')
    expect(await protect(false), 201)
    const { action } = expect(await api.delete(`/storage_boxes/${id}`), 201).body
    assert.deepEqual([action.command, action.resources], ['delete', [{ id, type: 'storage_box' }]])
    assert.equal((await boxOf(world, id)).id, id)
    assertRefused(await api.delete(`/storage_boxes/${id}`), 'locked')
    await settle()
    assertRefused(await api.get(`/storage_boxes/${id}`), 'not_found')
    assert.ok(!world.simulation.world.storageBoxes.has(id))
    assert.equal((await outcomeOf(api, action)).status, 'success')
    await checkConsistency(world, { pendingToo: true })
  })

  test('a creation that fails leaves nothing behind', async () => {
    const world = await open({ alone: true, runActions: false })
    const { api, settle, simulation } = world
    simulation.behave(({ method }) => (method === 'apply' ? 'error after effect' : undefined))
    const { storage_box, action } = expect(await api.post('/storage_boxes', boxBody()), 201).body
    await settle()
    simulation.behave(() => undefined)
    assert.equal((await outcomeOf(api, action)).status, 'error')
    assertRefused(await api.get(`/storage_boxes/${storage_box.id}`), 'not_found')
    await checkConsistency(world)
  })

  test('another type is one that it fits in, with as many subaccounts', async () => {
    const world = await open()
    const { api, settle } = world
    const id = await makeBox(world)
    const change = (type: unknown) => api.post(`/storage_boxes/${id}/actions/change_type`, { storage_box_type: type })
    for (const type of ['bx21', 1335, 'bx11']) {
      expect(await change(type), 201)
      await settle()
    }
    const { storage_box_type: type } = await boxOf(world, id)
    assert.equal(type.name, 'bx11')
    assert.equal(world.simulation.world.storageBoxes.get(id)!.state.bytes, type.size)
    expect(await change('bx41'), 201)
    await settle()
    await world.db.transact(async (tx) => {
      const all = acrossProjects(tx.query)
      await all
        .updateTable('storage_box')
        .set({ size: 2 ** 41, size_data: 2 ** 41 })
        .where('id', '=', id)
        .execute()
    })
    refused(await change('bx11'), 'storage_box_type')
    refused(await change('bx99'), 'storage_box_type')
    expect(await change('bx21'), 201)
  })

  test('another type allows the snapshots of the box and those that its plan keeps', async () => {
    const world = await open()
    const { api, settle } = world
    const id = await makeBox(world, { storage_box_type: 'bx21' })
    const change = (type: string) => api.post(`/storage_boxes/${id}/actions/change_type`, { storage_box_type: type })
    const keep = (most: number) =>
      api.post(`/storage_boxes/${id}/actions/enable_snapshot_plan`, { max_snapshots: most, hour: 3, minute: 30 })
    expect(await keep(11), 201)
    refused(await change('bx11'), 'storage_box_type')
    expect(await keep(10), 201)
    for (let n = 0; n < 11; n++) await makeSnapshot(world, id)
    refused(await change('bx11'), 'storage_box_type')
    const { snapshots } = (await api.get(`/storage_boxes/${id}/snapshots`)).body
    expect(await api.delete(`/storage_boxes/${id}/snapshots/${snapshots[0].id}`), 201)
    await settle()
    expect(await change('bx11'), 201)
  })

  test('a type that is no longer offered can still be that of a box that has it', async () => {
    const deprecation = { announced: '2026-10-10T06:00:00Z', unavailable_after: '2026-12-31T23:59:59Z' }
    const types = builtIn.storage_box_types.map((type) => (type.name === 'bx11' ? { ...type, deprecation } : type))
    const clock = testClock('2026-12-31T12:00:00Z')
    const world = await open({ clock, catalogue: openCatalogue({ ...builtIn, storage_box_types: types }) })
    const { api, settle } = world
    const id = await makeBox(world, { storage_box_type: 'bx11' })
    clock.set('2027-01-01T12:00:00Z')
    const change = (type: string) => api.post(`/storage_boxes/${id}/actions/change_type`, { storage_box_type: type })
    for (const type of ['bx11', 'bx21']) {
      expect(await change(type), 201)
      await settle()
    }
    refused(await change('bx11'), 'storage_box_type')
  })

  test('a smaller type is refused by the action, too, where more has been written since the box was measured', async () => {
    const world = await open({ alone: true })
    const { api, settle, simulation } = world
    const id = await makeBox(world, { storage_box_type: 'bx21' })
    const { storageBoxes } = simulation.drivers
    const change = async (type: string) => {
      const body = { storage_box_type: type }
      const { action } = expect(await api.post(`/storage_boxes/${id}/actions/change_type`, body), 201).body
      await settle()
      return (await outcomeOf(api, action)).status
    }
    storageBoxes.usage = async () => ({ data: 2 ** 40, snapshots: 1, bySnapshot: new Map() })
    assert.equal(await change('bx11'), 'error')
    const { storage_box_type: type } = await boxOf(world, id)
    assert.equal(type.name, 'bx21')
    assert.equal(simulation.world.storageBoxes.get(id)!.state.bytes, type.size)
    storageBoxes.usage = async () => ({ data: 2 ** 40, snapshots: 0, bySnapshot: new Map() })
    assert.equal(await change('bx11'), 'success')
    storageBoxes.usage = async () => ({ data: 2 ** 45, snapshots: 0, bySnapshot: new Map() })
    assert.equal(await change('bx41'), 'success', 'more room is never refused')
    await checkConsistency(world, { pendingToo: true })
  })

  test('access settings change one by one, out there as well', async () => {
    const world = await open()
    const { api, settle } = world
    const id = await makeBox(world)
    const { action } = expect(
      await api.post(`/storage_boxes/${id}/actions/update_access_settings`, { ssh_enabled: true, zfs_enabled: true }),
      201,
    ).body
    assert.equal(action.command, 'update_access_settings')
    await settle()
    expect(await api.post(`/storage_boxes/${id}/actions/update_access_settings`, { ssh_enabled: false }), 201)
    await settle()
    assert.deepEqual((await boxOf(world, id)).access_settings, { ...off, zfs_enabled: true })
    const [account] = world.simulation.world.storageBoxes.get(id)!.state.accounts
    assert.deepEqual([account!.hasSsh, account!.seesSnapshots], [false, true])
    const path = `/storage_boxes/${id}/actions/update_access_settings`
    refused(await api.post(path, { readonly: true }), 'readonly')
  })

  test('directories are listed level by level, and none outside of the box', async () => {
    const world = await open()
    const { api, foreign } = world
    const id = await makeBox(world)
    await makeSubaccount(world, id, { home_directory: 'b/deep/er' })
    await makeSubaccount(world, id, { home_directory: 'a' })
    const folders = async (query: string) => (await done(api.get(`/storage_boxes/${id}/folders${query}`))).folders
    assert.deepEqual(await folders(''), ['a', 'b'])
    assert.deepEqual(await folders('?path=.'), ['a', 'b'])
    assert.deepEqual(await folders('?path=b%2F.%2Fdeep%2F'), ['er'])
    assert.deepEqual(await folders('?path=a'), [])
    refused(await api.get(`/storage_boxes/${id}/folders?path=..%2Fother`), 'path')
    assertRefused(await api.get(`/storage_boxes/${id}/folders?path=nothing`), 'not_found')
    assertRefused(await foreign.get(`/storage_boxes/${id}/folders`), 'not_found')
  })

  test('folders are read as they are where boxes are kept, and are unavailable where a box cannot be handed over', async () => {
    const world = await open({ alone: true })
    const { api, simulation } = world
    const id = await makeBox(world)
    const refuse = async () => {
      throw new DriverError('the disk is out of order', { transient: true })
    }
    // Nobody knows what the infrastructure has seen.
    Object.assign(simulation.drivers.memory!, { seen: () => undefined })
    Object.assign(simulation.drivers.storageBoxes, { apply: refuse })
    assertRefused(await api.get(`/storage_boxes/${id}/folders`), 'unavailable')
    Object.assign(simulation.drivers.storageBoxes, { isLasting: true })
    assert.deepEqual((await done(api.get(`/storage_boxes/${id}/folders`))).folders, [])
  })

  test('what a box takes is measured by a job, too, and by no list', async () => {
    const world = await open({ clock: testClock() })
    const id = await makeBox(world)
    await makeSubaccount(world, id)
    const calls = world.simulation.record()
    await done(world.api.get('/storage_boxes'))
    assert.ok(!calls.some(({ method }) => method === 'usage'))
    await world.app.jobs.run()
    assert.ok(calls.some(({ method }) => method === 'usage'))
    assert.equal((await boxOf(world, id)).stats.size_data, 4_096)
  })

  test('a box that goes while it is measured is no failure of the job', async () => {
    const world = await open({ clock: testClock() })
    await makeBox(world)
    const measured = async (code: string) => {
      world.simulation.drivers.storageBoxes.usage = async () => {
        throw new DriverError('it cannot be measured', { transient: true, code })
      }
      await world.app.jobs.run()
      return world.app.jobs.runs().find(({ name }) => name.endsWith('measure'))!.last!.hasFailed
    }
    assert.equal(await measured('not_found'), false)
    assert.equal(await measured('no_room'), true)
  })
})

forEachDatabase('lists of Storage Boxes', (open) => {
  test('are filtered by name and labels, and sorted by what boxes take', async () => {
    const world = await open()
    const { api } = world
    const small = await makeBox(world, { name: 'small', labels: { env: 'dev' } })
    const large = await makeBox(world, { name: 'large', labels: { env: 'prod' } })
    await makeSubaccount(world, large)
    await makeSnapshot(world, large)
    const ids = async (query: string) =>
      (await done(api.get(`/storage_boxes?${query}`))).storage_boxes.map(({ id }: { id: number }) => id)
    assert.deepEqual(await ids('name=large'), [large])
    assert.deepEqual(await ids('label_selector=env%3Ddev'), [small])
    for (const field of ['stats.size', 'stats.size_filesystem', 'id', 'created']) {
      assert.deepEqual(await ids(`sort=${field}:asc`), [small, large], field)
      assert.deepEqual(await ids(`sort=${field}:desc`), [large, small], field)
    }
    assert.deepEqual(await ids('sort=name'), [large, small])
    assert.deepEqual(await ids('per_page=1&page=2'), [large])
    assertRefused(await api.get('/storage_boxes?sort=size'), 'invalid_input')
    const { stats } = await boxOf(world, large)
    assert.equal(stats.size, stats.size_data + stats.size_snapshots)
    assert.ok(stats.size_data > 0)
  })
})
