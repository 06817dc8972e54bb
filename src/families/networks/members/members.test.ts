import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../../test/kit/consistency.ts'
import { forEachDatabase, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { expect } from '../../../../test/kit/resources.ts'
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
    const again = await world.api.post(`/servers/${server}/actions/detach_from_network`, { network })
    assert.deepEqual([again.status, again.body.error.code], [404, 'not_found'])
    assert.equal(again.body.error.message, 'the server is not attached to this network')
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

  test('are listed as members, filtered, sorted and in pages', async () => {
    const world = await open()
    const network = await makeNetwork(world, { subnets })
    const servers = [await makeServer(world), await makeServer(world), await makeServer(world)]
    const asked = [{ ip: '10.0.1.10', alias_ips: ['10.0.1.6', '10.0.1.7'] }, { ip: '10.0.1.5' }, { ip: '10.0.0.7' }]
    for (const [at, place] of asked.entries()) {
      await change(world, servers[at]!, 'attach_to_network', { network, ...place })
    }
    const list = (query: string) => done(world.api.get(`/networks/${network}/members?${query}`))
    const idsOf = async (query: string) => (await list(query)).members.map(({ id }: { id: number }) => id)
    assert.deepEqual((await list('')).members[0], {
      type: 'server',
      id: servers[0],
      ip: '10.0.1.10',
      alias_ips: ['10.0.1.6', '10.0.1.7'],
      subnet: '10.0.1.0/24',
      status: 'ok',
    })
    const [first, second, third] = servers
    const cases: readonly (readonly [string, readonly (number | undefined)[]])[] = [
      ['', servers],
      ['sort=id:desc', [third, second, first]],
      ['sort=ip', [third, second, first]],
      ['sort=ip:desc', [first, second, third]],
      ['sort=type&sort=status&sort=id:desc', [third, second, first]],
      ['type=server&status=ok', servers],
      ['type=load_balancer', []],
      ['status=error&status=attaching', []],
      ['subnet=10.0.0.0/24', [third]],
      ['subnet=10.0.0.0/24&subnet=10.0.1.0/24&per_page=2', [first, second]],
      ['subnet=10.0.2.0/24', []],
    ]
    for (const [query, expected] of cases) assert.deepEqual(await idsOf(query), expected, query)
    const { members, meta } = await list('per_page=2&page=2')
    assert.deepEqual([members.length, meta.pagination.total_entries, meta.pagination.next_page], [1, 3, null])
    for (const [name, value] of [
      ['subnet', '10.0.0.1/24'],
      ['type', 'address'],
      ['status', 'off'],
      ['sort', 'name'],
    ] as const) {
      const { status, body } = await world.api.get(`/networks/${network}/members?${name}=${value}`)
      assert.deepEqual([status, body.error.details.fields[0].name], [422, name])
    }
    assert.equal((await world.foreign.get(`/networks/${network}/members`)).status, 404)
  })

  test('show as members what is being done with them', async () => {
    const world = await open({ runActions: false })
    const network = await makeNetwork(world, { subnets })
    const server = await makeServer(world)
    const statusAfter = async (path: string, more: object) => {
      await done(world.api.post(`/servers/${server}/actions/${path}`, { network, ...more }))
      const { members } = await done(world.api.get(`/networks/${network}/members`))
      await world.settle()
      return members[0].status
    }
    assert.equal(await statusAfter('attach_to_network', {}), 'attaching')
    assert.equal(await statusAfter('change_alias_ips', { alias_ips: ['10.0.1.9'] }), 'updating')
    assert.equal(await statusAfter('detach_from_network', {}), 'detaching')
    assert.deepEqual((await done(world.api.get(`/networks/${network}/members`))).members, [])
  })

  test('keep a network from growing into another one of theirs', async () => {
    const world = await open()
    const small = await makeNetwork(world, { ip_range: '10.0.0.0/24', subnets: [cloudSubnet('10.0.0.0/24')] })
    const other = await makeNetwork(world, { ip_range: '10.0.8.0/24', subnets: [cloudSubnet('10.0.8.0/24')] })
    const server = await makeServer(world, { networks: [small, other] })
    const grow = (ip_range: string) => world.api.post(`/networks/${small}/actions/change_ip_range`, { ip_range })
    const refused = await grow('10.0.0.0/16')
    assert.deepEqual([refused.status, refused.body.error.details.fields[0].name], [422, 'ip_range'])
    await done(grow('10.0.0.0/21'))
    await world.settle()
    await change(world, server, 'detach_from_network', { network: other })
    await done(grow('10.0.0.0/16'))
  })

  test('never end up in networks that overlap, although one grows while they join the other', async () => {
    const world = await open()
    for (let round = 0; round < 4; round++) {
      const growing = await makeNetwork(world, { ip_range: '10.0.0.0/24', subnets: [cloudSubnet('10.0.0.0/24')] })
      const other = await makeNetwork(world, { ip_range: '10.0.8.0/24', subnets: [cloudSubnet('10.0.8.0/24')] })
      const server = await makeServer(world, { networks: [growing] })
      const answers = await Promise.all([
        world.api.post(`/networks/${growing}/actions/change_ip_range`, { ip_range: '10.0.0.0/16' }),
        world.api.post(`/servers/${server}/actions/attach_to_network`, { network: other }),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422])
      await world.settle()
    }
  })

  test('are as many in each network as the operator allows', async () => {
    const world = await open({ limits: { network_members: 1 } })
    const [full, free] = [await makeNetwork(world, { subnets }), await makeNetwork(world, { subnets })]
    await makeServer(world, { networks: [full] })
    const refused = await world.api.post('/servers', serverBody('second', { networks: [full] }))
    assert.deepEqual([refused.status, refused.body.error.details], [403, { limits: [{ name: 'network_members' }] }])
    await makeServer(world, { networks: [free] })
  })

  test('are refused a range that is none', async () => {
    const world = await open()
    const place = { network: await makeNetwork(world, { subnets }), ip_range: 'everywhere' }
    const { status, body } = await world.api.post(
      `/servers/${await makeServer(world)}/actions/attach_to_network`,
      place,
    )
    assert.deepEqual([status, body.error.details.fields[0].name], [422, 'ip_range'])
  })

  test('a server that cannot be made leaves nothing behind in its networks', async () => {
    const world = await open()
    const network = await makeNetwork(world, { subnets })
    world.simulation.behave(() => 'error before effect')
    const { server } = await done(world.api.post('/servers', serverBody('never', { networks: [network] })))
    await world.settle()
    world.simulation.behave(() => 'ok')
    expect(await world.api.get(`/servers/${server.id}`), 404)
    assert.deepEqual((await done(world.api.get(`/networks/${network}`))).network.servers, [])
    await checkConsistency(world)
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
