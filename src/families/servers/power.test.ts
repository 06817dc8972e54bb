import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { type Client, forProjects } from '../../../test/kit/harness.ts'
import { expect, outcomeOf, settleAll } from '../../../test/kit/resources.ts'
import type { Behaviour } from '../../drivers/simulated/simulation.ts'
import { allow, newFirewall, toSelector, toServer } from '../firewalls/proof.ts'
import { command, makeServer, newServer, privateOnly, serverBody, serverOf } from './proof.ts'

const create = (api: Client, options: object) => api.post('/servers', serverBody('a', options))
const powerActions = ['poweron', 'poweroff', 'shutdown', 'reboot', 'reset'] as const
const commands = {
  poweron: 'start_server',
  poweroff: 'stop_server',
  shutdown: 'shutdown_server',
  reboot: 'reboot_server',
  reset: 'reset_server',
} as const

forProjects('power of servers', (open) => {
  test('each power action has its command, its status on the way and its end', async () => {
    const statuses = new Map<string, string[]>()
    let look: (() => Promise<string>) | undefined
    const world = await open({
      faults: {
        async reach(place) {
          if (!look || !place.startsWith('servers/')) return
          const moment = `${place.slice(place.indexOf('/') + 1, place.indexOf('#'))}`
          statuses.set(moment, [...(statuses.get(moment) ?? []), await look()])
        },
      },
    })
    const { api, simulation } = world
    const id = await newServer(api, 'a')
    look = async () => {
      const answer = await api.get(`/servers/${id}`)
      return answer.status === 404
        ? 'gone'
        : `${answer.body.server.status}${answer.body.server.locked ? ' locked' : ''}`
    }
    await settleAll(world)
    statuses.delete('create_server')
    const steps = [
      ['poweroff', 'stopping', 'off'],
      ['poweroff', 'off', 'off'],
      ['shutdown', 'off', 'off'],
      ['poweron', 'starting', 'running'],
      ['poweron', 'running', 'running'],
      ['reboot', 'running', 'running'],
      ['reset', 'running', 'running'],
      ['shutdown', 'stopping', 'off'],
      ['reset', 'off', 'running'],
    ] as const
    let restarts = 0
    for (const [action, during, end] of steps) {
      statuses.clear()
      const started = expect(await command(api, id, action), 201).body.action
      assert.equal(started.command, commands[action])
      assert.deepEqual(started.resources, [{ id, type: 'server' }])
      await settleAll(world)
      assert.equal((await outcomeOf(api, started)).status, 'success')
      assert.deepEqual(statuses.get(commands[action]), [`${during} locked`, `${during} locked`, end], action)
      const { power, restarts: counted, state } = simulation.world.servers.get(id)!
      assert.equal(power, end === 'running' ? 'on' : 'off')
      if (action === 'reboot' || action === 'reset') restarts++
      assert.equal(counted, restarts, action)
      assert.equal(state.manner, action === 'reboot' || action === 'shutdown' ? 'guest' : 'hard')
    }
    await checkConsistency(world)
    statuses.clear()
    expect(await api.delete(`/servers/${id}`), 200)
    await settleAll(world)
    assert.deepEqual(statuses.get('delete_server'), ['deleting locked', 'deleting locked', 'gone'])
    await checkConsistency(world)
  })

  test('a server without any network cannot be started, and stays off where others would be started', async () => {
    const world = await open({ runActions: false })
    const { api, settle } = world
    const id = await makeServer(world, privateOnly)
    const act = (action: string, body?: object) => api.post(`/servers/${id}/actions/${action}`, body)
    for (const action of ['poweron', 'reset', 'reboot']) {
      const { error } = expect(await act(action), 422, 'invalid_input').body
      assert.equal(error.message, 'a server without any network cannot be started')
    }
    expect(await act('change_type', { server_type: 'cpx32', upgrade_disk: false }), 201)
    await settle()
    const { server } = expect(await api.get(`/servers/${id}`), 200).body
    assert.deepEqual([server.status, server.server_type.name], ['off', 'cpx32'])
    expect(await act('rebuild', { image: 'debian-13' }), 201)
    await settle()
    const rebuilt = expect(await api.get(`/servers/${id}`), 200).body.server
    assert.deepEqual([rebuilt.status, rebuilt.image.name], ['off', 'debian-13'])
    const { network } = expect(await api.post('/networks', { name: 'inside', ip_range: '10.0.0.0/16' }), 201).body
    const subnet = { type: 'cloud', ip_range: '10.0.1.0/24', network_zone: 'eu-central' }
    expect(await api.post(`/networks/${network.id}/actions/add_subnet`, subnet), 201)
    await settle()
    expect(await act('attach_to_network', { network: network.id }), 201)
    await settle()
    expect(await act('poweron'), 201)
    await settle()
    assert.equal((await api.get(`/servers/${id}`)).body.server.status, 'running')
    await checkConsistency(world)
  })

  test('a locked server refuses power actions and deletion, but can be read, renamed and labelled', async () => {
    const world = await open({ runActions: false })
    const { api } = world
    const id = await newServer(api, 'a')
    const allRefuse = async () => {
      assert.equal((await serverOf(api, id)).locked, true)
      for (const action of powerActions) expect(await command(api, id, action), 423, 'locked')
      expect(await api.delete(`/servers/${id}`), 423, 'locked')
    }
    await allRefuse()
    expect(await api.put(`/servers/${id}`, { name: 'b', labels: { x: '1' } }), 200)
    const firewall = await newFirewall(api, 'f', { apply_to: [toServer(id), toSelector('x')] })
    expect(await api.post(`/firewalls/${firewall}/actions/set_rules`, { rules: [allow('80')] }), 201)
    await settleAll(world)
    for (const action of powerActions) {
      expect(await command(api, id, action), 201)
      await allRefuse()
      await settleAll(world)
      assert.equal((await serverOf(api, id)).locked, false)
    }
    expect(await api.delete(`/servers/${id}`), 200)
    await allRefuse()
    assert.equal((await serverOf(api, id)).status, 'deleting')
    await settleAll(world)
    expect(await api.get(`/servers/${id}`), 404, 'not_found')
    await checkConsistency(world)
  })

  for (const failure of ['error before effect', 'error after effect'] as const) {
    test(`an action that ends in an ${failure} leaves the server as it was, unlocked, and says why`, async () => {
      const world = await open({ alone: true })
      const { api, simulation } = world
      const id = await newServer(api, 'a')
      const firewall = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toServer(id)] })
      await settleAll(world)
      const fail = () => {
        let calls = 0
        simulation.behave(() => (calls++ === 0 ? failure : 'ok'))
      }
      const request = (action: string) =>
        action === 'delete' ? api.delete(`/servers/${id}`) : command(api, id, action)
      for (const start of ['poweron', 'poweroff']) {
        simulation.behave(() => undefined)
        expect(await command(api, id, start), 201)
        await settleAll(world)
        const before = await serverOf(api, id)
        const filter = JSON.stringify(simulation.world.filters.get(id)?.inbound)
        for (const action of [...powerActions, 'delete']) {
          const restarts = simulation.world.servers.get(id)?.restarts
          fail()
          const started = (await request(action)).body.action
          await settleAll(world)
          const ended = await outcomeOf(api, started)
          assert.deepEqual(
            [ended.status, ended.error],
            ['error', { code: 'action_failed', message: 'the infrastructure refused' }],
          )
          const after = await serverOf(api, id)
          const { public_net: _, ...rest } = before
          assert.deepEqual(
            { ...after, public_net: undefined },
            { ...rest, public_net: undefined },
            `${start} ${action}`,
          )
          assert.deepEqual(after.public_net.ipv4, before.public_net.ipv4)
          assert.deepEqual(
            after.public_net.firewalls.map((one: { id: number }) => one.id),
            [firewall],
          )
          assert.equal(JSON.stringify(simulation.world.filters.get(id)?.inbound), filter)
          // What never began is not made up for by taking it back.
          if (failure === 'error before effect') {
            assert.equal(simulation.world.servers.get(id)?.restarts, restarts, `${start} ${action}`)
          }
          await checkConsistency(world, { pendingToo: true })
        }
      }
    })
  }

  test('what an undo that failed for good has left wrong is put right without a request', async () => {
    const world = await open({ alone: true })
    const { api, simulation } = world
    const id = await newServer(api, 'a')
    await settleAll(world)
    /** Fails every call about servers for good once it has had its effect, so that the undo fails too. */
    const fail = () => simulation.behave(({ driver }) => (driver === 'servers' ? 'error after effect' : undefined))
    const heal = async () => {
      simulation.behave(() => 'ok')
      await world.app.jobs.run()
      await checkConsistency(world, { pendingToo: true })
    }
    for (const action of [...powerActions, 'delete']) {
      fail()
      const path = `/servers/${id}`
      const { body } = await (action === 'delete' ? api.delete(path) : api.post(`${path}/actions/${action}`))
      await settleAll(world)
      assert.equal((await outcomeOf(api, body.action)).status, 'error', action)
      await heal()
      assert.equal(simulation.world.servers.get(id)?.power, 'on', action)
    }
    simulation.behave(({ driver, method }) =>
      driver !== 'servers' ? undefined : method === 'remove' ? 'error before effect' : 'error after effect',
    )
    const { server } = expect(await create(api, { name: 'b' }), 201).body
    await settleAll(world)
    expect(await api.get(`/servers/${server.id}`), 404)
    assert.ok(simulation.world.servers.has(server.id), 'the infrastructure still has what could not be removed')
    await heal()
    assert.deepEqual([...simulation.world.servers.keys()], [id])
  })

  test('calls that are lost, cut short, slow or without an answer are repeated, and a restart happens once', async () => {
    const world = await open({ engine: { callTimeoutMs: 500 } })
    const { api, simulation } = world
    const failures: Behaviour[] = ['timeout not applied', 'timeout applied', 'partial', 'never returns']
    for (const [index, failure] of failures.entries()) {
      let calls = 0
      simulation.behave(() => (calls++ % 3 === 0 ? failure : 'ok'))
      const id = await newServer(api, `s${index}`)
      await settleAll(world)
      assert.equal((await serverOf(api, id)).status, 'running', failure)
      calls = 0
      expect(await command(api, id, 'reboot'), 201)
      await settleAll(world)
      assert.equal(simulation.world.servers.get(id)?.restarts, 1, failure)
      await checkConsistency(world)
      calls = 0
      expect(await api.delete(`/servers/${id}`), 200)
      await settleAll(world)
      assert.equal(simulation.world.servers.has(id), false, failure)
      await checkConsistency(world)
    }
  })
})
