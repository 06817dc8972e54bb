import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase, type World } from '../../../test/kit/harness.ts'
import { done, unique } from '../../../test/kit/proof.ts'
import { expect, outcomeOf, refused } from '../../../test/kit/resources.ts'
import { cloudSubnet, makeNetwork } from '../networks/proof.ts'
import { makeServer, serverOf } from '../servers/proof.ts'
import { balancerBody, balancerOf, command, makeBalancer, makeCertificate, tcp, toSelector, toServer } from './proof.ts'

const makeSubnet = (world: World) => makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })

/** Asks for a change, and returns its action when it has ended. */
async function change(world: World, id: number, path: string, body?: object) {
  const { action } = await done(command(world.api, id, path, body))
  await world.settle()
  return outcomeOf(world.api, action)
}

/** What the data plane has of a Load Balancer. */
const stateOf = ({ simulation }: World, id: number) => simulation.world.loadBalancers.get(id)?.state

forEachDatabase('Load Balancers', (open) => {
  test('one that is asked for by name, type and place has exactly the documented fields with their defaults', async () => {
    const world = await open({ runActions: false })
    const asked = { name: 'web', load_balancer_type: 'lb11', location: 'fsn1' }
    const { load_balancer, action } = expect(await world.api.post('/load_balancers', asked), 201).body
    const { id, created, public_net, location, load_balancer_type, ...rest } = load_balancer
    assert.deepEqual(rest, {
      name: 'web',
      private_net: [],
      protection: { delete: false },
      labels: {},
      services: [],
      targets: [],
      algorithm: { type: 'round_robin' },
      outgoing_traffic: 0,
      ingoing_traffic: 0,
      included_traffic: 21_990_232_555_520,
    })
    assert.match(created, /Z$/)
    assert.deepEqual([location.name, load_balancer_type.name], ['fsn1', 'lb11'])
    const { ipv4, ipv6, enabled } = public_net
    assert.equal(enabled, true)
    const reversed = ipv4.ip.split('.').reverse().join('.')
    assert.deepEqual([ipv4.id, ipv4.dns_ptr], [null, `static.${reversed}.clients.wolke.example`])
    assert.match(ipv6.ip, /^2001:db8:.*::1$/)
    assert.deepEqual([ipv6.id, ipv6.dns_ptr], [null, null])
    assert.deepEqual([action.command, action.status], ['create_load_balancer', 'running'])
    assert.deepEqual(action.resources, [{ id, type: 'load_balancer' }])
    await world.settle()
    assert.equal((await outcomeOf(world.api, action)).status, 'success')
    assert.deepEqual(await balancerOf(world.api, id), load_balancer)
    assert.deepEqual(stateOf(world, id)?.publicAddresses, [ipv4.ip, ipv6.ip])
  })

  test('everything that a request asks for is there at once, and in force when the action has succeeded', async () => {
    const world = await open()
    const network = await makeSubnet(world)
    const server = await makeServer(world, { networks: [network] })
    const certificate = await makeCertificate(world)
    const asked = balancerBody({
      load_balancer_type: 2,
      algorithm: { type: 'least_connections' },
      services: [{ protocol: 'https', http: { certificates: [certificate] } }, tcp(25)],
      targets: [toServer(server, true), toSelector('role=web')],
      labels: { env: 'dev' },
      network,
    })
    const { load_balancer: made } = await done(world.api.post('/load_balancers', asked))
    assert.deepEqual([made.load_balancer_type.name, made.algorithm.type], ['lb21', 'least_connections'])
    assert.deepEqual(
      made.services.map((one: { listen_port: number }) => one.listen_port),
      [443, 25],
    )
    assert.deepEqual(
      made.targets.map((one: { type: string; use_private_ip: boolean }) => [one.type, one.use_private_ip]),
      [
        ['server', true],
        ['label_selector', false],
      ],
    )
    assert.deepEqual([made.labels, made.private_net], [{ env: 'dev' }, [{ network, ip: '10.0.1.2' }]])
    await world.settle()
    const state = stateOf(world, made.id)
    assert.deepEqual(state?.targets, [{ address: '10.0.1.1', server, network }])
    assert.deepEqual(
      [state?.algorithm, state?.maxConnections, state?.place],
      ['least_connections', 20_000, { network, address: '10.0.1.2' }],
    )
    assert.deepEqual(
      state?.services[0]?.http?.certificates.map(({ id }) => id),
      [certificate],
    )
    const { used_by } = (await done(world.api.get(`/certificates/${certificate}`))).certificate
    assert.deepEqual(used_by, [{ id: made.id, type: 'load_balancer' }])
    assert.deepEqual((await serverOf(world.api, server)).load_balancers, [made.id])
    assert.deepEqual((await done(world.api.get(`/networks/${network}`))).network.load_balancers, [made.id])
  })

  test('its place is a location, or a zone whose location the service chooses, and never both or none', async () => {
    const world = await open()
    const { api } = world
    const ask = (more: object) =>
      api.post('/load_balancers', { name: unique('b'), load_balancer_type: 'lb11', ...more })
    for (const location of [1, '1', 'fsn1']) {
      assert.equal((await done(ask({ location }))).load_balancer.location.name, 'fsn1')
    }
    const { load_balancer } = await done(ask({ network_zone: 'us-west' }))
    assert.deepEqual([load_balancer.location.name, load_balancer.location.network_zone], ['hil', 'us-west'])
    for (const more of [{}, { location: 'fsn1', network_zone: 'eu-central' }]) {
      refused(await ask(more), 'location', 'network_zone')
    }
    refused(await ask({ location: 'moon' }), 'location')
    refused(await ask({ network_zone: 'moon' }), 'network_zone')
    refused(await ask({ location: 'fsn1', load_balancer_type: 'lb99' }), 'load_balancer_type')
    refused(await ask({ location: 'fsn1', algorithm: { type: 'random' } }), 'algorithm.type')
    const services = [{ protocol: 'http', http: { timeout_idle: 1 } }]
    refused(await ask({ location: 'fsn1', services }), 'services[0].http.timeout_idle')
    refused(await ask({ location: 'fsn1', public_net: { ipv4: 1 }, public_interface: false }), 'public_net')
  })

  test('null in an optional field says the same as leaving it out', async () => {
    const world = await open()
    const nothing = { network_zone: null, algorithm: null, services: null, targets: null, labels: null }
    const more = { ...nothing, public_interface: null, network: null, public_net: { ipv4: null, ipv6: null } }
    const made = await balancerOf(world.api, await makeBalancer(world, more))
    const plain = await balancerOf(world.api, await makeBalancer(world))
    for (const key of ['algorithm', 'services', 'targets', 'labels', 'private_net'] as const) {
      assert.deepEqual(made[key], plain[key], key)
    }
    assert.equal(made.public_net.enabled, true)
  })

  test('lists filter by name and labels, and sort by id, name and creation', async () => {
    const world = await open()
    const b = await makeBalancer(world, { name: 'b', labels: { env: 'dev' } })
    const a = await makeBalancer(world, { name: 'a' })
    const ids = async (query: string) =>
      (await done(world.api.get(`/load_balancers?${query}`))).load_balancers.map((one: { id: number }) => one.id)
    assert.deepEqual(await ids('name=b'), [b])
    assert.deepEqual(await ids('label_selector=env=dev'), [b])
    assert.deepEqual(await ids('sort=name'), [a, b])
    assert.deepEqual(await ids('sort=created:desc&sort=id:desc'), [a, b])
    refused(await world.api.get('/load_balancers?sort=location'), 'sort')
    assert.equal((await world.foreign.get(`/load_balancers/${a}`)).status, 404)
  })

  test('a name is unique in its Project, and an update changes what it names', async () => {
    const world = await open()
    const id = await makeBalancer(world, { name: 'a', labels: { env: 'dev' } })
    await makeBalancer(world, { name: 'b' })
    expect(await world.api.post('/load_balancers', balancerBody({ name: 'a' })), 409, 'uniqueness_error')
    expect(await world.foreign.post('/load_balancers', balancerBody({ name: 'a' })), 201)
    expect(await world.api.put(`/load_balancers/${id}`, { name: 'b' }), 409, 'uniqueness_error')
    const { load_balancer } = await done(world.api.put(`/load_balancers/${id}`, { name: 'c' }))
    assert.deepEqual([load_balancer.name, load_balancer.labels], ['c', { env: 'dev' }])
  })

  test('the algorithm changes, and one that is unknown is refused', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    for (const type of ['least_connections', 'least_connections', 'round_robin']) {
      const action = await change(world, id, 'change_algorithm', { type })
      assert.deepEqual([action.command, action.status], ['change_algorithm', 'success'])
      assert.equal((await balancerOf(world.api, id)).algorithm.type, type)
      assert.equal(stateOf(world, id)?.algorithm, type)
    }
    const answer = await command(world.api, id, 'change_algorithm', { type: 'random' })
    assert.equal(answer.body.error.message, "invalid input in field 'type'")
    refused(answer, 'type')
  })

  test('the type changes to the same and to any that what is there fits in', async () => {
    const world = await open()
    const services = [1, 2, 3, 4, 5, 6].map(tcp)
    const id = await makeBalancer(world, { load_balancer_type: 'lb21', services })
    for (const load_balancer_type of ['lb21', 3, 'lb31']) {
      const action = await change(world, id, 'change_type', { load_balancer_type })
      assert.deepEqual([action.command, action.status], ['change_load_balancer_type', 'success'])
    }
    const shown = await balancerOf(world.api, id)
    assert.deepEqual(
      [shown.load_balancer_type.name, stateOf(world, id)?.maxConnections],
      ['lb31', shown.load_balancer_type.max_connections],
    )
    const smaller = { load_balancer_type: 'lb11' }
    expect(await command(world.api, id, 'change_type', smaller), 422, 'invalid_load_balancer_type')
    await change(world, id, 'delete_service', { listen_port: 6 })
    assert.equal((await change(world, id, 'change_type', smaller)).status, 'success')
    refused(await command(world.api, id, 'change_type', { load_balancer_type: 'lb99' }), 'load_balancer_type')
  })

  test('without its public interface it keeps its addresses and listens in its network alone', async () => {
    const world = await open()
    const network = await makeSubnet(world)
    const id = await makeBalancer(world, { network, targets: [toSelector('a=b')] })
    const { public_net: before } = await balancerOf(world.api, id)
    expect(await command(world.api, id, 'disable_public_interface'), 422, 'targets_without_use_private_ip')
    await change(world, id, 'remove_target', toSelector('a=b'))
    for (const [path, enabled] of [
      ['disable_public_interface', false],
      ['disable_public_interface', false],
      ['enable_public_interface', true],
      ['enable_public_interface', true],
    ] as const) {
      const action = await change(world, id, path)
      assert.deepEqual([action.command, action.status], [path, 'success'])
      assert.deepEqual((await balancerOf(world.api, id)).public_net, { ...before, enabled })
      assert.equal(stateOf(world, id)?.publicAddresses.length, enabled ? 2 : 0)
    }
    const outside = await makeBalancer(world)
    expect(await command(world.api, outside, 'disable_public_interface'), 422, 'load_balancer_not_attached_to_network')
    const hidden = await balancerOf(world.api, await makeBalancer(world, { public_interface: false }))
    assert.deepEqual([hidden.public_net.enabled, hidden.public_net.ipv4.ip === null], [false, false])
  })

  test('one that is protected is not deleted until it is protected no longer', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    const action = await change(world, id, 'change_protection', { delete: true })
    assert.deepEqual([action.command, action.status], ['change_protection', 'success'])
    assert.deepEqual((await balancerOf(world.api, id)).protection, { delete: true })
    expect(await world.api.delete(`/load_balancers/${id}`), 423, 'protected')
    await change(world, id, 'change_protection', {})
    assert.deepEqual((await balancerOf(world.api, id)).protection, { delete: true })
    await change(world, id, 'change_protection', { delete: false })
    expect(await world.api.delete(`/load_balancers/${id}`), 201)
  })
})
