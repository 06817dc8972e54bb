/** Packet filters when the infrastructure fails: what is wanted, what is in force and what the API says of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { type Client, forDatabasesInTurn } from '../../../test/kit/harness.ts'
import { expect, settleAll } from '../../../test/kit/resources.ts'
import { newServer } from '../servers/proof.ts'
import { allow, appliedTo, newFirewall, openPorts, toSelector, toServer } from './proof.ts'

const apply = (api: Client, id: number, ...resources: object[]) =>
  api.post(`/firewalls/${id}/actions/apply_to_resources`, { apply_to: resources })
const firewallsOf = async (api: Client, id: number) =>
  (await api.get(`/servers/${id}`)).body.server.public_net.firewalls

const bySelector = (selector: string, ...servers: number[]) => ({
  ...toSelector(selector),
  applied_to_resources: servers.map(toServer),
})

forDatabasesInTurn('packet filters', (open) => {
  test('a firewall that cannot be put in force is taken off the server again', async () => {
    const world = await open()
    const { api, simulation } = world
    const server = await newServer(api, 'a', { labels: { env: 'dev' } })
    const f = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toServer(server)] })
    const g = await newFirewall(api, 'g', { rules: [allow('22')] })
    await settleAll(world)
    for (const failure of ['error before effect', 'error after effect'] as const) {
      let calls = 0
      simulation.behave(() => (calls++ === 0 ? failure : 'ok'))
      const [action] = expect(await apply(api, g, toServer(server)), 201).body.actions
      await settleAll(world)
      const ended = (await api.get(`/actions/${action.id}`)).body.action
      assert.deepEqual([ended.status, ended.error.code], ['error', 'action_failed'])
      assert.deepEqual(await appliedTo(api, g), [])
      assert.deepEqual(openPorts(world, server), [80])
      assert.deepEqual(await firewallsOf(api, server), [{ id: f, status: 'applied' }])
      await checkConsistency(world)
    }
    // A selector is a wish for all servers, which one failure does not take back.
    let calls = 0
    simulation.behave(() => (calls++ === 0 ? 'error before effect' : 'ok'))
    await apply(api, g, toSelector('env'))
    await settleAll(world)
    assert.deepEqual(await appliedTo(api, g), [bySelector('env', server)])
    assert.deepEqual(openPorts(world, server), [80, 22])
    await checkConsistency(world)
    assert.equal((await appliedTo(api, f)).length, 1)
  })

  test('a filter that no action could put in force stays pending until it is, whoever has to try again', async () => {
    const world = await open()
    const { api, simulation, app } = world
    const server = await newServer(api, 'a')
    const f = await newFirewall(api, 'f', { rules: [allow('80')], apply_to: [toServer(server)] })
    const g = await newFirewall(api, 'g', { rules: [allow('22')], apply_to: [toServer(server)] })
    await settleAll(world)
    simulation.behave(() => 'error before effect')
    expect(await api.post(`/firewalls/${g}/actions/remove_from_resources`, { remove_from: [toServer(server)] }), 201)
    await settleAll(world)
    assert.deepEqual(openPorts(world, server), [80, 22])
    assert.deepEqual(await firewallsOf(api, server), [{ id: f, status: 'pending' }])
    await app.jobs.run()
    assert.deepEqual(openPorts(world, server), [80, 22])
    simulation.behave(() => 'ok')
    await app.jobs.run()
    assert.deepEqual(openPorts(world, server), [80])
    assert.deepEqual(await firewallsOf(api, server), [{ id: f, status: 'applied' }])
    await checkConsistency(world)
  })

  test('a server that was asked for behind a firewall gets no power without it', async () => {
    const world = await open()
    const { api, simulation } = world
    const f = await newFirewall(api, 'f', { rules: [allow('80')] })
    simulation.behave(({ driver }) => (driver === 'firewalls' ? 'error before effect' : 'ok'))
    const options = { name: 'a', server_type: 'cpx22', image: 'debian-12', firewalls: [{ firewall: f }] }
    const { id } = expect(await api.post('/servers', options), 201).body.server
    await settleAll(world)
    assert.equal((await api.get(`/servers/${id}`)).body.server.status, 'off')
    assert.equal(simulation.world.servers.get(id)?.power, 'off')
    assert.deepEqual(await firewallsOf(api, id), [{ id: f, status: 'pending' }])
    assert.deepEqual(await appliedTo(api, f), [toServer(id)])
    simulation.behave(() => 'ok')
    expect(await api.post(`/servers/${id}/actions/poweron`), 201)
    await settleAll(world)
    assert.equal(simulation.world.servers.get(id)?.power, 'on')
    assert.deepEqual(openPorts(world, id), [80])
    await world.app.jobs.run()
    assert.deepEqual(await firewallsOf(api, id), [{ id: f, status: 'applied' }])
    await checkConsistency(world)
  })

  test('a call that is lost, cut short or late is repeated until the filter is in force', async () => {
    const world = await open({ engine: { callTimeoutMs: 500 } })
    const { api, simulation } = world
    const server = await newServer(api, 'a')
    await settleAll(world)
    const f = await newFirewall(api, 'f', { apply_to: [toServer(server)] })
    let port = 1
    for (const failure of ['timeout not applied', 'timeout applied', 'partial', 'never returns'] as const) {
      let calls = 0
      simulation.behave(() => (calls++ < 2 ? failure : 'ok'))
      const rules = [allow(String(++port))]
      const { actions } = expect(await api.post(`/firewalls/${f}/actions/set_rules`, { rules }), 201).body
      await settleAll(world)
      assert.equal((await api.get(`/actions/${actions[1].id}`)).body.action.status, 'success', failure)
      assert.deepEqual(openPorts(world, server), [port])
      await checkConsistency(world)
    }
  })
})
