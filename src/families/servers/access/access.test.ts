import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../../test/kit/consistency.ts'
import { forProjects, testClock, type World } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { isHashOf } from '../../../protocols/net/crypt.ts'
import { command, makeServer, serverOf } from '../proof.ts'

async function enable(world: World, id: number, body: object = {}): Promise<string> {
  const { action, root_password: password } = expect(await command(world.api, id, 'enable_rescue', body), 201).body
  assert.deepEqual([action.command, action.resources], ['enable_rescue', [{ id, type: 'server' }]])
  await world.settle()
  return password
}

async function settled(world: World, id: number, what: string): Promise<void> {
  expect(await command(world.api, id, what), 201)
  await world.settle()
}

const outside = ({ simulation }: World, id: number) => simulation.world.servers.get(id)!

forProjects('the rescue system', (open) => {
  test('is where the next boot goes, once, with the given keys and the password of the answer', async () => {
    const world = await open({ runActions: false })
    const public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
    const { ssh_key: key } = expect(await world.api.post('/ssh_keys', { name: 'rescuer', public_key }), 201).body
    const id = await makeServer(world)
    const password = await enable(world, id, { type: 'linux64', ssh_keys: [key.id] })
    assert.match(password, /^\w{20}$/)
    let server = await serverOf(world.api, id)
    assert.deepEqual([server.status, server.rescue_enabled, server.locked], ['running', true, false])
    const { state, system, restarts } = outside(world, id)
    assert.deepEqual(state.rescue?.sshKeys, [key.public_key])
    assert.ok(isHashOf(password, state.rescue.rootPasswordHash))
    assert.deepEqual([system, restarts], ['disk', 0], 'enabling it changes nothing in what runs')

    await settled(world, id, 'poweron')
    assert.equal((await serverOf(world.api, id)).rescue_enabled, true, 'a server that runs does not boot')
    await settled(world, id, 'reset')
    server = await serverOf(world.api, id)
    assert.deepEqual([server.status, server.rescue_enabled, outside(world, id).system], ['running', false, 'rescue'])
    await checkConsistency(world)
    await settled(world, id, 'reboot')
    assert.equal(outside(world, id).system, 'disk')
  })

  test('waits for a server that is off, and can be enabled again or disabled before', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world, { start_after_create: false })
    const passwords = [await enable(world, id), await enable(world, id)]
    assert.notEqual(passwords[0], passwords[1])
    assert.ok(isHashOf(passwords[1]!, outside(world, id).state.rescue!.rootPasswordHash))
    await settled(world, id, 'poweron')
    assert.deepEqual([outside(world, id).system, (await serverOf(world.api, id)).rescue_enabled], ['rescue', false])
    await enable(world, id)
    await settled(world, id, 'disable_rescue')
    assert.equal((await serverOf(world.api, id)).rescue_enabled, false)
    await settled(world, id, 'disable_rescue')
    await settled(world, id, 'reset')
    assert.equal(outside(world, id).system, 'disk')
    await checkConsistency(world)
  })

  test('ends an hour after it was enabled', async () => {
    const clock = testClock('2026-11-21T12:00:00Z')
    const world = await open({ runActions: false, clock })
    const id = await makeServer(world)
    await enable(world, id)
    clock.advance(3_599_000)
    await world.app.jobs.run()
    assert.equal((await serverOf(world.api, id)).rescue_enabled, true)
    clock.advance(1_000)
    await world.app.jobs.run()
    assert.equal((await serverOf(world.api, id)).rescue_enabled, false)
    await world.app.jobs.run()
    assert.equal(outside(world, id).state.rescue, null)
    await checkConsistency(world)
  })

  test('is not enabled by a request that fails, or for keys and types that there are not', async () => {
    const world = await open({ alone: true, runActions: false })
    const id = await makeServer(world)
    for (const [body, field] of [
      [{ ssh_keys: [4711] }, 'ssh_keys[0]'],
      [{ type: 'linux32' }, 'type'],
      [{ type: 'freebsd64' }, 'type'],
    ] as const) {
      const refused = expect(await command(world.api, id, 'enable_rescue', body), 422, 'invalid_input')
      assert.equal(refused.body.error.details.fields[0].name, field)
    }
    let calls = 0
    world.simulation.behave(() => (calls++ === 0 ? 'error after effect' : undefined))
    await enable(world, id)
    assert.deepEqual([(await serverOf(world.api, id)).rescue_enabled, outside(world, id).state.rescue], [false, null])
    await checkConsistency(world)
  })
})

forProjects('a new root password', (open) => {
  test('is set in the running system, which goes on running', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world)
    const { action, root_password: password } = expect(await command(world.api, id, 'reset_password'), 201).body
    assert.deepEqual([action.command, action.resources], ['reset_password', [{ id, type: 'server' }]])
    await world.settle()
    const { state, passwordResets, restarts, system } = outside(world, id)
    assert.ok(isHashOf(password, state.rootPasswordHash!))
    assert.deepEqual([passwordResets, restarts, system], [1, 0, 'disk'])
    const { status, locked } = await serverOf(world.api, id)
    assert.deepEqual([status, locked], ['running', false])
    await settled(world, id, 'reset')
    assert.equal(outside(world, id).passwordResets, 1, 'it is set once')
    await checkConsistency(world)
  })

  test('needs a server that runs', async () => {
    const world = await open({ runActions: false })
    const id = await makeServer(world, { start_after_create: false })
    const { body } = expect(await command(world.api, id, 'reset_password'), 422, 'service_error')
    assert.equal(body.error.message, 'server is not running')
    await command(world.api, id, 'poweron')
    expect(await command(world.api, id, 'reset_password'), 423, 'locked')
    await world.settle()
    expect(await command(world.api, id, 'reset_password'), 201)
  })
})
