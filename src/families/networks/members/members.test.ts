import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase, type World } from '../../../../test/harness.ts'
import { done } from '../../../../test/proof.ts'
import { makeServer, serverBody } from '../../servers/proof.ts'
import { cloudSubnet, makeNetwork } from '../proof.ts'

const subnets = [cloudSubnet('10.0.1.0/24'), cloudSubnet('10.0.0.0/24')]

const placesOf = async ({ api }: World, id: number) => (await done(api.get(`/servers/${id}`))).server.private_net

async function change(world: World, server: number, path: string, body: object) {
  const { action } = await done(world.api.post(`/servers/${server}/actions/${path}`, body))
  await world.settle()
  return (await done(world.api.get(`/actions/${action.id}`))).action
}

forEachDatabase('Servers in networks', (open) => {
  test('get the lowest free address, never that of the gateway, and show it', async () => {
    const world = await open()
    const [first, second] = [await makeServer(world), await makeServer(world)]
    const network = await makeNetwork(world, { subnets })
    const action = await change(world, first, 'attach_to_network', { network })
    assert.deepEqual(action.resources, [
      { id: first, type: 'server' },
      { id: network, type: 'network' },
    ])
    const [place] = await placesOf(world, first)
    assert.deepEqual(place, { network, ip: '10.0.1.1', alias_ips: [], mac_address: '86:00:0a:00:01:01' })
    await change(world, second, 'attach_to_network', { network, ip_range: '10.0.0.0/24' })
    assert.equal((await placesOf(world, second))[0].ip, '10.0.0.2')
    assert.deepEqual((await done(world.api.get(`/networks/${network}`))).network.servers, [first, second])
    const [known] = world.simulation.world.interfaces.get(second)!.interfaces
    assert.deepEqual([known?.ip, known?.subnet, known?.gateway], ['10.0.0.2', '10.0.0.0/24', '10.0.0.1'])
  })

  test('take addresses that they name, change their aliases and leave', async () => {
    const world = await open()
    const server = await makeServer(world)
    const network = await makeNetwork(world, { subnets })
    const asked = { network, ip: '10.0.1.5', alias_ips: ['10.0.1.6', '10.0.1.7'] }
    await change(world, server, 'attach_to_network', asked)
    assert.deepEqual((await placesOf(world, server))[0].alias_ips, asked.alias_ips)
    await change(world, server, 'change_alias_ips', { network, alias_ips: ['10.0.1.8'] })
    assert.deepEqual((await placesOf(world, server))[0].alias_ips, ['10.0.1.8'])
    const refused = await world.api.post(`/networks/${network}/actions/delete_subnet`, { ip_range: '10.0.1.0/24' })
    assert.match(refused.body.error.message, /servers are attached/)
    await change(world, server, 'detach_from_network', { network })
    assert.deepEqual(await placesOf(world, server), [])
    assert.deepEqual(world.simulation.world.interfaces.get(server)?.interfaces, [])
  })

  test('join at their creation, also without any public network', async () => {
    const world = await open()
    const network = await makeNetwork(world, { subnets })
    const options = { networks: [network], public_net: { enable_ipv4: false, enable_ipv6: false } }
    const { server, next_actions: next } = await done(world.api.post('/servers', serverBody('inside', options)))
    assert.deepEqual(
      next.map(({ command }: { command: string }) => command),
      ['start_server', 'attach_to_network'],
    )
    assert.equal(server.private_net[0].ip, '10.0.1.1')
    await world.settle()
    assert.equal(world.simulation.world.interfaces.get(server.id)?.interfaces.length, 1)
    await done(world.api.delete(`/servers/${server.id}`))
    await world.settle()
    assert.deepEqual((await done(world.api.get(`/networks/${network}`))).network.servers, [])
  })

  test('a change that fails leaves the addresses as they were', async () => {
    const world = await open()
    const server = await makeServer(world)
    const network = await makeNetwork(world, { subnets })
    const fail = () => world.simulation.behave(({ driver }) => (driver === 'interfaces' ? 'error after effect' : 'ok'))
    fail()
    assert.equal((await change(world, server, 'attach_to_network', { network })).status, 'error')
    assert.deepEqual(await placesOf(world, server), [])
    world.simulation.behave(() => 'ok')
    await change(world, server, 'attach_to_network', { network, alias_ips: ['10.0.1.9'] })
    const before = await placesOf(world, server)
    fail()
    assert.equal((await change(world, server, 'change_alias_ips', { network, alias_ips: [] })).status, 'error')
    assert.equal((await change(world, server, 'detach_from_network', { network })).status, 'error')
    assert.deepEqual(await placesOf(world, server), before)
  })

  test('deleting a network detaches its servers', async () => {
    const world = await open()
    const server = await makeServer(world)
    const network = await makeNetwork(world, { subnets })
    await change(world, server, 'attach_to_network', { network })
    assert.equal((await world.api.delete(`/networks/${network}`)).status, 204)
    assert.deepEqual(await placesOf(world, server), [])
    await world.app.jobs.run()
    assert.deepEqual(world.simulation.world.interfaces.get(server)?.interfaces, [])
  })

  test('eight clients at once get eight addresses', async () => {
    const world = await open()
    const network = await makeNetwork(world, { subnets })
    const servers: number[] = []
    for (let at = 0; at < 8; at++) servers.push(await makeServer(world))
    await Promise.all(
      servers.map((id) => done(world.api.post(`/servers/${id}/actions/attach_to_network`, { network }))),
    )
    await world.settle()
    const ips = await Promise.all(servers.map(async (id) => (await placesOf(world, id))[0].ip as string))
    assert.deepEqual(ips.sort(), Array.from({ length: 8 }, (_, at) => `10.0.1.${at + 1}`).sort())
  })
})
