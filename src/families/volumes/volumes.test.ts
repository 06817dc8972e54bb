import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase, type World } from '../../../test/kit/harness.ts'
import { makeServer, serverBody } from '../servers/proof.ts'

const here = { location: 'hel1' }

async function makeVolume({ api, settle }: World, name: string, more: object = here) {
  const { status, body, text } = await api.post('/volumes', { name, size: 10, ...more })
  assert.equal(status, 201, text)
  await settle()
  return body.volume.id as number
}

const show = async ({ api }: World, id: number) => (await api.get(`/volumes/${id}`)).body.volume

const change = ({ api }: World, id: number, action: string, body?: object) =>
  api.post(`/volumes/${id}/actions/${action}`, body)

/** The volumes that are attached to a server in the world. */
const attachedTo = ({ simulation }: World, server: number) => simulation.world.attachments.get(server)?.volumes ?? []

const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) => [status, body.error.code]

forEachDatabase('volumes', (open) => {
  test('one in a location is creating, then available, with exactly the documented fields', async () => {
    const world = await open({ runActions: false })
    const request = { name: 'data', size: 42, location: 'hel1', format: 'ext4', labels: { env: 'dev' } }
    const { status, body } = await world.api.post('/volumes', request)
    assert.equal(status, 201)
    const { volume, action } = body
    const { id, created, location, ...rest } = volume
    assert.deepEqual(rest, {
      name: 'data',
      status: 'creating',
      size: 42,
      server: null,
      linux_device: `/dev/disk/by-id/scsi-0HC_Volume_${id}`,
      format: 'ext4',
      labels: { env: 'dev' },
      protection: { delete: false },
    })
    assert.match(created, /Z$/)
    assert.equal(location.name, 'hel1')
    assert.deepEqual([action.command, action.status, body.next_actions], ['create_volume', 'running', []])
    assert.deepEqual(action.resources, [{ id, type: 'volume' }])
    await world.settle()
    assert.deepEqual(await show(world, id), { ...volume, status: 'available' })
    assert.equal(world.simulation.world.volumes.get(id)?.sizeGb, 42)
  })

  test('with a server it takes its location and is attached by a next action', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    const { body } = await world.api.post('/volumes', {
      name: 'data',
      size: 10,
      server,
      automount: true,
      format: 'ext4',
    })
    const resources = [
      { id: server, type: 'server' },
      { id: body.volume.id, type: 'volume' },
    ]
    const [attach, ...more] = body.next_actions
    assert.deepEqual([attach.command, attach.resources, more], ['attach_volume', resources, []])
    assert.deepEqual([body.action.command, body.action.resources], ['create_volume', resources])
    await world.settle()
    const volume = await show(world, body.volume.id)
    assert.deepEqual([volume.server, volume.location.name, volume.status], [server, 'hel1', 'available'])
    assert.deepEqual(attachedTo(world, server), [{ id: volume.id, automount: true }])
    assert.deepEqual((await world.api.get(`/servers/${server}`)).body.server.volumes, [volume.id])
  })

  test('it needs exactly one of server and location, and both by what the Project and the catalogue have', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    const refused: [object, string][] = [
      [{}, "'server', 'location'"],
      [{ server, location: 'hel1' }, "'server', 'location'"],
      [{ location: 'abc' }, "'location'"],
      [{ server: server + 1 }, "'server'"],
      [{ location: 'hel1', automount: true, format: 'ext4' }, "'automount'"],
      [{ server, automount: true }, "'format', 'automount'"],
      [{ ...here, size: 9 }, "'size'"],
      [{ ...here, size: 10_241 }, "'size'"],
      [{ ...here, format: 'ntfs' }, "'format'"],
    ]
    for (const [more, fields] of refused) {
      const { status, body } = await world.api.post('/volumes', { name: 'data', size: 10, ...more })
      assert.equal(status, 422, JSON.stringify(more))
      assert.match(body.error.message, new RegExp(`^invalid input in fields? ${fields}$`))
    }
    assert.equal((await world.foreign.post('/volumes', { name: 'data', size: 10, server })).status, 422)
    for (const location of [3, '3', 'hel1'])
      await makeVolume(world, `at-${JSON.stringify(location).length}`, { location })
  })

  test('names have an alphabet and are unique, and updates change what they name', async () => {
    const world = await open()
    const id = await makeVolume(world, 'a', { ...here, labels: { env: 'dev' } })
    await makeVolume(world, 'b.c_d-e')
    for (const name of ['', '-a', 'a-', 'a b', 'ä', 'a'.repeat(65), 'a\n']) {
      const created = await world.api.post('/volumes', { name, size: 10, ...here })
      assert.deepEqual(codeOf(created), [422, 'invalid_input'], name)
      assert.deepEqual(codeOf(await world.api.put(`/volumes/${id}`, { name })), [422, 'invalid_input'], name)
    }
    const twin = await world.api.post('/volumes', { name: 'a', size: 10, ...here })
    assert.deepEqual([twin.status, twin.body.error.details], [409, { fields: [{ name: 'name' }] }])
    assert.equal((await world.api.put(`/volumes/${id}`, { name: 'b.c_d-e' })).status, 409)
    const { volume } = (await world.api.put(`/volumes/${id}`, { name: 'c', labels: {} })).body
    assert.deepEqual([volume.name, volume.labels], ['c', {}])
    assert.equal((await world.api.put(`/volumes/${id}`, {})).status, 200)
  })

  test('lists filter by status, name and labels, and sort by id, name and creation', async () => {
    const world = await open({ runActions: false })
    const made = await makeVolume(world, 'b', { ...here, labels: { env: 'dev' } })
    const making = (await world.api.post('/volumes', { name: 'a', size: 10, ...here })).body.volume.id
    const ids = async (query: string) =>
      (await world.api.get(`/volumes?${query}`)).body.volumes.map((one: { id: number }) => one.id)
    assert.deepEqual(await ids('status=available'), [made])
    assert.deepEqual(await ids('status=creating'), [making])
    assert.deepEqual(await ids('status=creating&status=available'), [made, making])
    assert.deepEqual(await ids('name=b'), [made])
    assert.deepEqual(await ids('name=nobody'), [])
    assert.deepEqual(await ids('label_selector=env=dev'), [made])
    assert.deepEqual(await ids('sort=name'), [making, made])
    assert.deepEqual(await ids('sort=created:desc&sort=id:desc'), [making, made])
    assert.equal((await world.api.get('/volumes?sort=size')).status, 422)
    assert.equal((await world.api.get('/volumes?status=gone')).status, 422)
  })

  test('it is attached to one server of its location at a time', async () => {
    const world = await open()
    const [a, b] = [await makeServer(world, here), await makeServer(world, here)]
    const far = await makeServer(world, { location: 'nbg1' })
    const id = await makeVolume(world, 'data')
    const elsewhere = await change(world, id, 'attach', { server: far })
    assert.deepEqual(codeOf(elsewhere), [422, 'invalid_input'])
    assert.equal(elsewhere.body.error.details.fields[0].name, 'server')
    assert.deepEqual(codeOf(await change(world, id, 'attach', { server: 4_000_000_000 })), [404, 'not_found'])
    assert.deepEqual(codeOf(await change(world, id, 'detach')), [422, 'service_error'])
    const { status, body } = await change(world, id, 'attach', { server: a })
    const resources = [
      { id: a, type: 'server' },
      { id, type: 'volume' },
    ]
    assert.deepEqual([status, body.action.command, body.action.resources], [201, 'attach_volume', resources])
    await world.settle()
    assert.deepEqual(attachedTo(world, a), [{ id, automount: false }])
    for (const server of [a, b]) {
      assert.deepEqual(codeOf(await change(world, id, 'attach', { server })), [422, 'volume_already_attached'])
    }
    const detached = (await change(world, id, 'detach')).body.action
    assert.deepEqual([detached.command, detached.resources], ['detach_volume', resources])
    await world.settle()
    assert.deepEqual([(await show(world, id)).server, attachedTo(world, a)], [null, []])
    await change(world, id, 'attach', { server: b, automount: true })
    await world.settle()
    assert.deepEqual(attachedTo(world, b), [{ id, automount: true }])
  })

  test('two that are created for one server at the same time both end attached', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    const answers = await Promise.all(['a', 'b'].map((name) => world.api.post('/volumes', { name, size: 10, server })))
    await world.settle()
    const ids = answers.map(({ body }) => body.volume.id).sort()
    assert.deepEqual(
      attachedTo(world, server)
        .map(({ id }) => id)
        .sort(),
      ids,
    )
  })

  test('a server has at most 16, also when requests race', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => world.api.post('/volumes', { name: `v${i}`, size: 10, server })),
    )
    await world.settle()
    assert.equal(answers.filter(({ status }) => status === 201).length, 16)
    const refused = answers.find(({ status }) => status !== 201)!
    assert.deepEqual(codeOf(refused), [403, 'resource_limit_exceeded'])
    assert.deepEqual(refused.body.error.details, { limits: [{ name: 'volumes_per_server' }] })
    assert.equal(attachedTo(world, server).length, 16)
  })

  test('a server that is busy is 423, a volume that is busy too', async () => {
    const world = await open({ runActions: false })
    const server = await makeServer(world, here)
    const id = await makeVolume(world, 'data')
    await world.api.post(`/servers/${server}/actions/poweroff`)
    assert.deepEqual(codeOf(await change(world, id, 'attach', { server })), [423, 'locked'])
    assert.deepEqual(codeOf(await world.api.post('/volumes', { name: 'b', size: 10, server })), [423, 'locked'])
    await world.settle()
    assert.equal((await change(world, id, 'resize', { size: 11 })).status, 201)
    for (const refused of [
      await change(world, id, 'attach', { server }),
      await change(world, id, 'resize', { size: 12 }),
      await world.api.delete(`/volumes/${id}`),
    ]) {
      assert.deepEqual(codeOf(refused), [423, 'locked'])
    }
  })

  test('it only grows', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    const id = await makeVolume(world, 'data', { server })
    for (const size of [5, 10, 10_241, '20', 10.5]) {
      const refused = await change(world, id, 'resize', { size })
      assert.deepEqual(codeOf(refused), [422, 'invalid_input'], String(size))
      assert.equal(refused.body.error.message, "invalid input in field 'size'")
    }
    const { action } = (await change(world, id, 'resize', { size: 25 })).body
    assert.deepEqual([action.command, action.resources], ['resize_volume', [{ id, type: 'volume' }]])
    await world.settle()
    assert.deepEqual([(await show(world, id)).size, world.simulation.world.volumes.get(id)?.sizeGb], [25, 25])
    assert.deepEqual(attachedTo(world, server), [{ id, automount: false }])
  })

  test('one that is attached or protected is not deleted, and one that is deleted is removed', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    const id = await makeVolume(world, 'data', { server })
    const attached = await world.api.delete(`/volumes/${id}`)
    assert.deepEqual(codeOf(attached), [422, 'service_error'])
    assert.equal(attached.body.error.message, `volume with ID '${id}' is still attached to a server`)
    const { action } = (await change(world, id, 'change_protection', { delete: true })).body
    assert.deepEqual([action.command, action.status, action.resources.length], ['change_protection', 'success', 2])
    await change(world, id, 'detach')
    await world.settle()
    const refused = await world.api.delete(`/volumes/${id}`)
    assert.deepEqual(codeOf(refused), [423, 'protected'])
    assert.equal(refused.body.error.message, 'volume deletion is protected')
    await change(world, id, 'change_protection', { delete: false })
    const deleted = await world.api.delete(`/volumes/${id}`)
    assert.deepEqual([deleted.status, deleted.text], [204, ''])
    assert.equal((await world.api.get(`/volumes/${id}`)).status, 404)
    await world.settle()
    assert.equal(world.simulation.world.volumes.has(id), false)
  })

  test('one that the infrastructure did not remove is removed as soon as that can be done', async () => {
    const world = await open()
    const id = await makeVolume(world, 'data')
    world.simulation.behave(({ subject }) => (subject === id ? 'error before effect' : undefined))
    assert.equal((await world.api.delete(`/volumes/${id}`)).status, 204)
    await world.settle()
    assert.equal(world.simulation.world.volumes.has(id), true)
    world.simulation.behave(() => 'ok')
    await world.app.jobs.run()
    assert.equal(world.simulation.world.volumes.has(id), false)
  })

  test('it outlives its server, detached', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    const id = await makeVolume(world, 'data', { server, automount: true, format: 'ext4' })
    await world.api.delete(`/servers/${server}`)
    await world.settle()
    assert.equal((await show(world, id)).server, null)
    assert.deepEqual(attachedTo(world, server), [])
    const next = await makeServer(world, here)
    assert.equal((await change(world, id, 'attach', { server: next })).status, 201)
    await world.settle()
    assert.deepEqual(attachedTo(world, next), [{ id, automount: false }])
  })

  test('a server whose deletion fails has its volumes as before', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    const id = await makeVolume(world, 'data', { server })
    let refusals = 1
    world.simulation.behave(({ method }) => (method === 'remove' && refusals-- > 0 ? 'error after effect' : undefined))
    await world.api.delete(`/servers/${server}`)
    await world.settle()
    assert.equal((await show(world, id)).server, server)
    assert.deepEqual(attachedTo(world, server), [{ id, automount: false }])
  })

  test('a failed creation leaves nothing behind, and what waited for it fails too', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    let refusals = 1
    world.simulation.behave(({ method, driver }) =>
      driver === 'volumes' && method === 'apply' && refusals-- > 0 ? 'error after effect' : undefined,
    )
    const { body } = await world.api.post('/volumes', { name: 'data', size: 10, server })
    await world.settle()
    for (const { id } of [body.action, ...body.next_actions]) {
      const { action } = (await world.api.get(`/actions/${id}`)).body
      assert.deepEqual([action.status, action.error.code], ['error', 'action_failed'])
    }
    assert.equal((await world.api.get(`/volumes/${body.volume.id}`)).status, 404)
    assert.equal(world.simulation.world.volumes.size, 0)
    assert.deepEqual(attachedTo(world, server), [])
    await makeVolume(world, 'data', { server })
  })

  test('a failed attachment, detachment or resize leaves it as it was, unlocked', async () => {
    const world = await open()
    const server = await makeServer(world, here)
    const id = await makeVolume(world, 'data')
    const fail = async (action: string, body?: object) => {
      let refusals = 1
      world.simulation.behave(({ driver }) =>
        driver === 'volumes' && refusals-- > 0 ? 'error after effect' : undefined,
      )
      const started = (await change(world, id, action, body)).body.action
      await world.settle()
      assert.equal((await world.api.get(`/actions/${started.id}`)).body.action.status, 'error')
    }
    await fail('attach', { server, automount: true })
    assert.deepEqual([(await show(world, id)).server, attachedTo(world, server)], [null, []])
    await change(world, id, 'attach', { server, automount: true })
    await world.settle()
    await fail('detach')
    assert.deepEqual([(await show(world, id)).server, attachedTo(world, server)], [server, [{ id, automount: true }]])
    await fail('resize', { size: 20 })
    assert.deepEqual([(await show(world, id)).size, world.simulation.world.volumes.get(id)?.sizeGb], [10, 10])
    assert.equal((await change(world, id, 'resize', { size: 20 })).status, 201)
  })

  test('a new server has the volumes that it was requested with before it starts', async () => {
    const world = await open()
    const [a, b] = [await makeVolume(world, 'a'), await makeVolume(world, 'b')]
    const request = { ...serverBody('s', here), volumes: [b, a, b], automount: true }
    const calls = world.simulation.record()
    const { status, body, text } = await world.api.post('/servers', request)
    assert.equal(status, 201, text)
    const next = body.next_actions.map(({ command }: { command: string }) => command)
    assert.deepEqual(next, ['start_server', 'attach_volume', 'attach_volume'])
    assert.deepEqual(body.next_actions[1].resources, [
      { id: body.server.id, type: 'server' },
      { id: b, type: 'volume' },
    ])
    assert.deepEqual(body.server.volumes, [a, b])
    await world.settle()
    const mounted = [
      { id: a, automount: true },
      { id: b, automount: true },
    ]
    assert.deepEqual(attachedTo(world, body.server.id), mounted)
    const order = calls.map(({ driver }) => driver)
    assert.ok(order.lastIndexOf('volumes') < order.lastIndexOf('servers'), order.join(', '))
    assert.equal((await show(world, a)).server, body.server.id)
  })

  test('a server that asks for volumes that it cannot have is not begun', async () => {
    const world = await open()
    const mine = await makeVolume(world, 'mine')
    const far = await makeVolume(world, 'far', { location: 'nbg1' })
    const taken = await makeVolume(world, 'taken', { server: await makeServer(world, here) })
    const theirs = (await world.foreign.post('/volumes', { name: 'a', size: 10, ...here })).body.volume.id
    const ask = (volumes: number[]) => world.api.post('/servers', { ...serverBody('s', here), volumes })
    for (const other of [far, theirs, 4_000_000_000]) {
      const refused = await ask([mine, other])
      assert.deepEqual(codeOf(refused), [422, 'invalid_input'])
      assert.equal(refused.body.error.message, "invalid input in field 'volumes'")
    }
    assert.deepEqual(codeOf(await ask([mine, taken])), [422, 'volume_already_attached'])
    const many = await Promise.all(Array.from({ length: 17 }, (_, i) => makeVolume(world, `v${i}`)))
    assert.deepEqual(codeOf(await ask(many)), [403, 'resource_limit_exceeded'])
    assert.deepEqual((await world.api.get('/servers?name=s')).body.servers, [])
    assert.equal((await show(world, mine)).server, null)
  })

  test('a server that could not be made gives its volumes back', async () => {
    const world = await open()
    const id = await makeVolume(world, 'data')
    let refusals = 1
    world.simulation.behave(({ driver }) => (driver === 'servers' && refusals-- > 0 ? 'error after effect' : undefined))
    const { body } = await world.api.post('/servers', { ...serverBody('s', here), volumes: [id], automount: true })
    const attach = body.next_actions[1].id
    await world.settle()
    const { action } = (await world.api.get(`/actions/${attach}`)).body
    assert.deepEqual([action.status, action.error.message], ['error', 'the server no longer exists'])
    assert.deepEqual([(await show(world, id)).server, world.simulation.world.attachments.size], [null, 0])
    const next = await makeServer(world, here)
    assert.equal((await change(world, id, 'attach', { server: next })).status, 201)
  })
})
