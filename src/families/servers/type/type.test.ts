import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../../test/kit/consistency.ts'
import { forProjects, testClock, type World } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { makeServer, serverOf } from '../proof.ts'

const off = { server_type: 'cpx22', location: 'hel1', start_after_create: false }

const changeType = ({ api }: World, id: number, server_type: string | number, upgrade_disk: boolean) =>
  api.post(`/servers/${id}/actions/change_type`, { server_type, upgrade_disk })

forProjects('changing the type of a server', (open) => {
  test('gives it the cores, the memory and, if asked, the disk of the type, and starts it', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world, off)
    for (const [type, upgrades, disk, shape] of [
      ['cpx32', false, 80, [4, 8192]],
      [109, false, 80, [2, 4096]],
      ['cpx32', true, 160, [4, 8192]],
    ] as const) {
      const { action } = expect(await changeType(world, id, type, upgrades), 201).body
      assert.deepEqual([action.command, action.resources], ['change_server_type', [{ id, type: 'server' }]])
      assert.equal((await serverOf(world.api, id)).status, 'migrating')
      await world.settle()
      const server = await serverOf(world.api, id)
      assert.deepEqual([server.status, server.locked, server.primary_disk_size], ['running', false, disk])
      assert.ok([server.server_type.id, server.server_type.name].includes(type))
      const { state, power } = world.simulation.world.servers.get(id)!
      assert.deepEqual([state.cores, state.memoryMb, state.diskGb, power], [...shape, disk, 'on'])
      await world.api.post(`/servers/${id}/actions/poweroff`)
      await world.settle()
    }
    await checkConsistency(world)
  })

  test('is refused for types that do not fit, and changes nothing then', async () => {
    const world = await open({ runActions: false, clock: testClock('2026-01-15T12:00:00Z') })
    const id = await makeServer(world, { ...off, server_type: 'cpx32' })
    const before = await serverOf(world.api, id)
    for (const [type, message] of [
      ['cax31', /architecture/],
      ['cpx31', /not available in the location/],
      ['cx42', /not available in the location/],
      ['cpx22', /not sufficient disk space/],
    ] as const) {
      assert.match(
        expect(await changeType(world, id, type, false), 422, 'invalid_server_type').body.error.message,
        message,
      )
    }
    const unknown = expect(await changeType(world, id, 'cpx99', false), 422, 'invalid_input')
    assert.equal(unknown.body.error.details.fields[0].name, 'server_type')
    expect(await world.api.post(`/servers/${id}/actions/change_type`, { server_type: 'cpx42' }), 422, 'invalid_input')
    assert.deepEqual(await serverOf(world.api, id), before)
  })

  test('needs a server that is off; one that is being stopped is locked', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world, { ...off, start_after_create: true })
    expect(await changeType(world, id, 'cpx32', true), 422, 'server_not_stopped')
    await world.api.post(`/servers/${id}/actions/poweroff`)
    expect(await changeType(world, id, 'cpx32', true), 423, 'locked')
    await world.settle()
    expect(await changeType(world, id, 'cpx32', true), 201)
  })

  for (const failure of ['error before effect', 'error after effect'] as const) {
    test(`after an ${failure} it is off and has its former type`, async () => {
      const world = await open({ alone: true, runActions: false })
      const id = await makeServer(world, off)
      const { action } = expect(await changeType(world, id, 'cpx32', true), 201).body
      let calls = 0
      world.simulation.behave(() => (calls++ === 0 ? failure : undefined))
      await world.settle()
      assert.equal(expect(await world.api.get(`/actions/${action.id}`), 200).body.action.status, 'error')
      const server = await serverOf(world.api, id)
      assert.deepEqual([server.status, server.server_type.name, server.primary_disk_size], ['off', 'cpx22', 80])
      const { state, power } = world.simulation.world.servers.get(id)!
      assert.deepEqual([state.cores, state.diskGb, power], [2, 80, 'off'])
      await checkConsistency(world)
    })
  }
})
