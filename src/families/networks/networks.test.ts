import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Client, forEachDatabase, testClock } from '../../../test/kit/harness.ts'
import { done } from '../../../test/kit/proof.ts'
import { acrossProjects } from '../../kernel/data/scoped.ts'
import { extended, type Topology, withoutSubnet, withRoute, withSubnet } from './domain.ts'
import { insertMember, removeMember } from './members/store.ts'
import { cloudSubnet, makeNetwork, vswitchCatalogue, vswitchSubnet } from './proof.ts'

const get = async (api: Client, id: number) => (await done(api.get(`/networks/${id}`))).network
const field = ({ error }: { error: { details: { fields: { name: string }[] } } }) => error.details.fields[0]?.name

forEachDatabase('Networks', (open) => {
  test('a network has exactly the documented fields, and is gone after its deletion', async () => {
    const { api } = await open()
    const subnets = [cloudSubnet('10.0.16.0/24')]
    const routes = [{ destination: '10.100.1.0/24', gateway: '10.0.1.1' }]
    const asked = { name: 'net', ip_range: '10.0.0.0/16', subnets, routes, labels: { a: 'b' } }
    const { network } = await done(api.post('/networks', asked))
    const { id, created, ...rest } = network
    assert.match(created, /Z$/)
    assert.deepEqual(rest, {
      name: 'net',
      ip_range: '10.0.0.0/16',
      subnets: [{ ...subnets[0], gateway: '10.0.0.1', vswitch_id: null }],
      routes,
      servers: [],
      load_balancers: [],
      protection: { delete: false },
      labels: { a: 'b' },
      expose_routes_to_vswitch: false,
    })
    assert.deepEqual(await get(api, id), network)
    assert.equal((await api.delete(`/networks/${id}`)).status, 204)
    assert.equal((await api.get(`/networks/${id}`)).status, 404)
  })

  test('a network shows everybody in it, however many, and who comes and goes', async () => {
    const { api, db } = await open({ runActions: false })
    const project = acrossProjects(db.query).selectFrom('project').select('id').orderBy('id')
    const scope = { projectId: (await project.executeTakeFirstOrThrow()).id }
    const networks = [await makeNetwork({ api }, { name: 'few' }), await makeNetwork({ api }, { name: 'many' })]
    const servers = await db.transact((tx) => tx.drawIds(300))
    const join = (networkId: number, some: readonly number[]) =>
      db.transact(async (tx) => {
        for (const [index, serverId] of some.entries()) {
          const ip = `10.0.${Math.floor(index / 100)}.${(index % 100) + 2}`
          await insertMember(tx, scope, { networkId, serverId, ip, aliasIps: [] })
        }
      })
    const check = async (shown: readonly (readonly number[])[]) => {
      for (const [index, id] of networks.entries()) assert.deepEqual((await get(api, id)).servers, shown[index])
      const listed = (await done(api.get('/networks'))).networks as { id: number; servers: number[] }[]
      assert.deepEqual(
        networks.map((id) => listed.find((network) => network.id === id)?.servers),
        shown,
      )
    }
    await join(networks[0]!, servers.slice(0, 2))
    await join(networks[1]!, servers.slice(1).toReversed())
    await check([servers.slice(0, 2), servers.slice(1)])
    await db.transact((tx) => removeMember(tx, scope, { networkId: networks[1]!, serverId: servers[150]! }))
    await check([servers.slice(0, 2), servers.slice(1).filter((id) => id !== servers[150])])
  })

  test('command lines live through it: names, protection, ranges, subnets, routes', async () => {
    const { api, settle } = await open()
    const id = await makeNetwork({ api }, { name: 'net', ip_range: '10.0.0.0/24' })
    const change = async (path: string, body: object) => {
      const answer = await done(api.post(`/networks/${id}/actions/${path}`, body))
      assert.deepEqual([answer.action.command, answer.action.resources], [path, [{ id, type: 'network' }]])
      await settle()
      return get(api, id)
    }
    const taken = await api.post('/networks', { name: 'net', ip_range: '10.0.0.0/24' })
    assert.deepEqual([taken.status, taken.body.error.message], [409, 'name is already used'])
    await change('change_protection', { delete: true })
    assert.equal((await change('change_ip_range', { ip_range: '10.0.0.0/16' })).ip_range, '10.0.0.0/16')
    const kept = await api.delete(`/networks/${id}`)
    assert.deepEqual([kept.status, kept.body.error.message], [423, 'network is delete protected'])
    const unknown = await api.post(`/networks/${id}/actions/add_subnet`, vswitchSubnet('10.0.3.0/24'))
    assert.deepEqual([unknown.status, unknown.body.error.message], [422, 'vswitch not found'])
    const { subnets } = await change('add_subnet', cloudSubnet('10.0.16.0/24'))
    assert.equal(subnets[0].gateway, '10.0.0.1')
    const route = { destination: '10.100.1.0/24', gateway: '10.0.1.1' }
    assert.deepEqual((await change('add_route', route)).routes, [route])
    const exposed = await done(api.put(`/networks/${id}`, { name: 'other', expose_routes_to_vswitch: true }))
    assert.deepEqual([exposed.network.name, exposed.network.expose_routes_to_vswitch], ['other', true])
    assert.deepEqual((await change('delete_route', route)).routes, [])
    assert.deepEqual((await change('delete_subnet', { ip_range: '10.0.16.0/24' })).subnets, [])
    assert.equal((await api.post(`/networks/${id}/actions/delete_route`, route)).body.error.code, 'not_found')
    await change('change_protection', { delete: false })
    assert.equal((await api.delete(`/networks/${id}`)).status, 204)
  })

  test('the infrastructure follows, and forgets what is deleted', async () => {
    const { api, app, settle, simulation } = await open()
    const id = await makeNetwork({ api })
    await done(api.post(`/networks/${id}/actions/add_subnet`, cloudSubnet()))
    await settle()
    assert.deepEqual(
      simulation.world.networks.get(id)?.subnets.map(({ ipRange }) => ipRange),
      ['10.0.0.0/24'],
    )
    await api.delete(`/networks/${id}`)
    await app.jobs.run()
    assert.equal(simulation.world.networks.has(id), false)
  })

  test('a change that fails leaves the network as it was, and its vSwitch free', async () => {
    const { api, foreign, settle, simulation } = await open({ catalogue: vswitchCatalogue })
    const id = await makeNetwork({ api }, { subnets: [cloudSubnet('10.0.1.0/24')] })
    const before = await get(api, id)
    simulation.behave(({ driver }) => (driver === 'networks' ? 'error after effect' : 'ok'))
    const { action } = await done(api.post(`/networks/${id}/actions/add_subnet`, vswitchSubnet('10.0.2.0/24')))
    await settle()
    simulation.behave(() => 'ok')
    assert.equal((await done(api.get(`/actions/${action.id}`))).action.status, 'error')
    assert.deepEqual(await get(api, id), before)
    await done(api.post(`/networks/${id}/actions/add_subnet`, vswitchSubnet('10.0.2.0/24')))
    await settle()
    simulation.behave(({ driver }) => (driver === 'networks' ? 'error after effect' : 'ok'))
    await done(api.post(`/networks/${id}/actions/add_subnet`, cloudSubnet('10.0.4.0/24')))
    await settle()
    const rival = { name: 'rival', ip_range: '10.0.0.0/16', subnets: [vswitchSubnet()] }
    const taken = await foreign.post('/networks', rival)
    assert.equal(taken.body.error.code, 'vswitch_id_already_used', 'one that was coupled before stays so')
  })

  test('a vSwitch is coupled with one network, has a gateway of its own and is free again after deletion', async () => {
    const { api, foreign, settle } = await open({ catalogue: vswitchCatalogue })
    const id = await makeNetwork({ api }, { subnets: [vswitchSubnet('10.0.3.0/24')] })
    assert.equal((await get(api, id)).subnets[0].gateway, '10.0.3.1')
    const rival = { name: 'rival', ip_range: '10.0.0.0/16', subnets: [vswitchSubnet()] }
    assert.equal((await foreign.post('/networks', rival)).body.error.code, 'vswitch_id_already_used')
    await done(api.post(`/networks/${id}/actions/delete_subnet`, { ip_range: '10.0.3.0/24' }))
    await settle()
    await done(foreign.post('/networks', rival))
  })

  test('a subnet may come with a gateway, as older clients send it, which follows from the range all the same', async () => {
    const { api, settle } = await open()
    const id = await makeNetwork({ api })
    await done(api.post(`/networks/${id}/actions/add_subnet`, { ...cloudSubnet('10.0.16.0/24'), gateway: '' }))
    await settle()
    const made = await done(
      api.post('/networks', {
        name: 'm',
        ip_range: '10.0.0.0/16',
        subnets: [{ ...cloudSubnet(), gateway: '10.0.0.9' }],
      }),
    )
    const gateways = [...(await get(api, id)).subnets, ...made.network.subnets].map(({ gateway }) => gateway)
    assert.deepEqual(gateways, ['10.0.0.1', '10.0.0.1'])
  })

  test('errors name the field, also within lists', async () => {
    const { api } = await open()
    const refused = async (more: object) => {
      const { status, body } = await api.post('/networks', { name: 'n', ip_range: '10.0.0.0/16', ...more })
      assert.equal(status, 422)
      return field(body)
    }
    assert.equal(await refused({ ip_range: '8.8.8.0/24' }), 'ip_range')
    assert.equal(await refused({ ip_range: '10.0.0.1/24' }), 'ip_range')
    assert.equal(await refused({ ip_range: '10.0.0.0/25' }), 'ip_range')
    const nowhere = { ...cloudSubnet(), network_zone: 'moon' }
    assert.equal(await refused({ subnets: [nowhere] }), 'subnets[0].network_zone')
    const route = { destination: '10.9.0.0/16', gateway: '10.0.0.1' }
    assert.equal(await refused({ routes: [route] }), 'routes[0].gateway')
  })

  test('eight clients that add subnets at once all succeed or hear conflict, and no two overlap', async () => {
    const { api, settle } = await open()
    const id = await makeNetwork({ api })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.post(`/networks/${id}/actions/add_subnet`, cloudSubnet())),
    )
    await settle()
    const added = answers.filter(({ status }) => status === 201).length
    assert.ok(added >= 1)
    assert.ok(answers.every(({ status, body }) => status === 201 || body.error.code === 'conflict'))
    const ranges = (await get(api, id)).subnets.map((subnet: { ip_range: string }) => subnet.ip_range)
    assert.deepEqual([ranges.length, new Set(ranges).size], [added, added])
  })

  test('subnets of type server are refused from April 2027', async () => {
    const { api } = await open({ clock: testClock('2027-04-15T00:00:00Z') })
    const id = await makeNetwork({ api })
    const answer = await api.post(`/networks/${id}/actions/add_subnet`, { ...cloudSubnet(), type: 'server' })
    assert.equal(field(answer.body), 'type')
  })
})

describe('what fits into a network', () => {
  const rules = { zones: new Set(['eu-central']), allowsServerType: true, vswitchIsSmaller: true }
  const empty: Topology = { ipRange: '10.0.0.0/16', subnets: [], routes: [] }
  const cloud = (ip_range: string | null = null) => ({ type: 'cloud' as const, network_zone: 'eu-central', ip_range })
  const vswitch = (ip_range: string | null = null) => ({ ...cloud(ip_range), type: 'vswitch' as const, vswitch_id: 1 })
  const via = (destination: string, gateway = '10.0.1.1') => ({ destination, gateway })
  const ranges = ({ subnets }: Topology) => subnets.map(({ ipRange }) => ipRange)

  test('subnets without a range take the first free /24, past subnets and routes', () => {
    const wide = withSubnet(withRoute(empty, via('10.0.1.0/24')), cloud('10.0.0.64/26'), rules)
    assert.deepEqual(ranges(withSubnet(wide, cloud(), rules)), ['10.0.0.64/26', '10.0.2.0/24'])
    const full = withSubnet({ ...empty, ipRange: '10.0.0.0/24' }, cloud(), rules)
    assert.throws(() => withSubnet(full, cloud(), rules), { code: 'invalid_input' })
    assert.deepEqual(ranges(withSubnet(empty, vswitch(), rules)), ['10.0.1.0/24'])
  })

  test('subnets lie within the network, are /30 or larger and do not overlap', () => {
    const network = withSubnet(empty, cloud('10.0.1.0/24'), rules)
    for (const range of ['10.1.0.0/24', '10.0.1.128/25', '10.0.0.0/16', '10.0.2.0/31', '10.0.2.1/24']) {
      assert.throws(() => withSubnet(network, cloud(range), rules), { code: 'invalid_input' }, range)
    }
    for (const range of ['10.0.0.0/24', '10.0.0.0/16']) {
      assert.throws(() => withSubnet(empty, vswitch(range), rules), { code: 'invalid_input' }, range)
    }
    const former = { ...rules, vswitchIsSmaller: false }
    assert.deepEqual(ranges(withSubnet(empty, vswitch('10.0.0.0/16'), former)), ['10.0.0.0/16'])
    assert.throws(() => withSubnet(empty, { ...cloud(), vswitch_id: 1 }, rules), { code: 'invalid_input' })
    assert.throws(() => withoutSubnet(network, '10.0.2.0/24'), { code: 'invalid_input' })
  })

  test('routes lead to private ranges of their own or everywhere, by gateways that are free', () => {
    const network = withSubnet(withRoute(empty, via('10.100.1.0/24')), vswitch('10.0.3.0/24'), rules)
    assert.equal(withRoute(network, via('0.0.0.0/0')).routes.length, 2)
    const overlapping = ['10.100.1.0/24', '10.100.0.0/16', '10.0.3.0/30', '172.31.1.1/32', '172.31.0.0/16']
    for (const destination of overlapping) {
      assert.throws(() => withRoute(network, via(destination)), /overlaps with another subnetwork/, destination)
    }
    assert.throws(() => withRoute(network, via('8.8.8.0/24')), { code: 'invalid_input' })
    for (const gateway of ['10.0.0.1', '172.31.1.1', '10.0.3.7', '::1', 'x']) {
      assert.throws(() => withRoute(network, via('10.200.0.0/24', gateway)), { code: 'invalid_input' }, gateway)
    }
  })

  test('a vSwitch is not put around the gateway of a route', () => {
    const network = withRoute(empty, via('10.200.0.0/16', '10.0.3.7'))
    assert.throws(() => withSubnet(network, vswitch('10.0.3.0/24'), rules), { code: 'invalid_input' })
    assert.equal(withSubnet(network, cloud('10.0.3.0/24'), rules).subnets.length, 1)
  })

  test('a range only grows, from the same address', () => {
    assert.equal(extended({ ...empty, ipRange: '10.0.0.0/24' }, '10.0.0.0/16').ipRange, '10.0.0.0/16')
    for (const range of ['10.0.0.0/17', '10.1.0.0/16', '192.168.0.0/16']) {
      assert.throws(() => extended(empty, range), { code: 'invalid_input' }, range)
    }
  })
})
