import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkConsistency } from '../../../test/kit/consistency.ts'
import { forDatabasesInTurn, type World } from '../../../test/kit/harness.ts'
import { done } from '../../../test/kit/proof.ts'
import { expect, outcomeOf } from '../../../test/kit/resources.ts'
import { cloudSubnet, makeNetwork } from '../networks/proof.ts'
import { makePrimaryIp } from '../primary-ips/proof.ts'
import { makeServer, serverOf } from '../servers/proof.ts'
import { balancerBody, balancerOf, command, makeBalancer, makeCertificate, tcp, toSelector, toServer } from './proof.ts'

const makeSubnet = (world: World) => makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })

/** From now on the data plane does what it is told and says that it did not. */
const fail = ({ simulation }: World) =>
  simulation.behave(({ driver }) => (driver === 'loadBalancers' ? 'error after effect' : 'ok'))

/** From now on it fails once and then does as it is told. */
function failOnce({ simulation }: World): void {
  let failures = 1
  simulation.behave(({ driver }) => (driver === 'loadBalancers' && failures-- > 0 ? 'error after effect' : 'ok'))
}

const stateOf = ({ simulation }: World, id: number) => {
  const state = simulation.world.loadBalancers.get(id)?.state
  return state && { ...state, generation: 0 }
}

forDatabasesInTurn('A Load Balancer', (open) => {
  test('is after a change that failed what it was before, and can be changed again', async () => {
    const world = await open()
    const [network, other] = [await makeSubnet(world), await makeSubnet(world)]
    const [server, next] = [await makeServer(world, { networks: [network] }), await makeServer(world)]
    const certificate = await makeCertificate(world)
    const targets = [toServer(server, true), toSelector('a=b')]
    const id = await makeBalancer(world, { network, targets, services: [tcp(80)] })
    const outside = await makeBalancer(world, { services: [tcp(80)] })
    const inside = await makeBalancer(world, { network })
    const https = { protocol: 'https', http: { certificates: [certificate] } }
    const changes: [number, string, object?][] = [
      [id, 'add_service', https],
      [id, 'update_service', { listen_port: 80, protocol: 'http' }],
      [id, 'delete_service', { listen_port: 80 }],
      [id, 'add_target', toServer(next)],
      [id, 'add_target', toSelector('c=d')],
      [id, 'remove_target', toServer(server)],
      [id, 'detach_from_network', { network }],
      [outside, 'attach_to_network', { network: other }],
      [id, 'change_algorithm', { type: 'least_connections' }],
      [id, 'change_type', { load_balancer_type: 'lb21' }],
      [inside, 'disable_public_interface'],
    ]
    for (const [balancer, path, body] of changes) {
      const [before, was] = [await balancerOf(world.api, balancer), stateOf(world, balancer)]
      failOnce(world)
      const { action } = await done(command(world.api, balancer, path, body))
      await world.settle()
      const ended = await outcomeOf(world.api, action)
      assert.deepEqual([ended.status, ended.error.code], ['error', 'action_failed'], path)
      await world.app.jobs.run()
      assert.deepEqual(await balancerOf(world.api, balancer), before, path)
      assert.deepEqual(stateOf(world, balancer), was, path)
    }
    const { used_by } = (await done(world.api.get(`/certificates/${certificate}`))).certificate
    const { load_balancers } = (await done(world.api.get(`/networks/${other}`))).network
    assert.deepEqual([used_by, load_balancers, (await serverOf(world.api, next)).load_balancers], [[], [], []])
    await checkConsistency(world, { pendingToo: true })
    for (const [balancer, path, body] of changes.slice(0, 1)) await done(command(world.api, balancer, path, body))
    await world.settle()
    assert.equal((await balancerOf(world.api, id)).services.length, 2)
  })

  test('that cannot be made leaves nothing behind, and Primary IPs as they were', async () => {
    const world = await open()
    const network = await makeSubnet(world)
    const server = await makeServer(world, { networks: [network] })
    const certificate = await makeCertificate(world)
    const ipv4 = await makePrimaryIp(world, { location: 'fsn1', auto_delete: true })
    failOnce(world)
    const body = balancerBody({
      network,
      targets: [toServer(server, true), toSelector('a=b')],
      services: [{ protocol: 'https', http: { certificates: [certificate] } }],
      public_net: { ipv4 },
    })
    const { load_balancer, action } = await done(world.api.post('/load_balancers', body))
    await world.settle()
    assert.equal((await outcomeOf(world.api, action)).error.code, 'action_failed')
    expect(await world.api.get(`/load_balancers/${load_balancer.id}`), 404)
    const { assignee_id, auto_delete } = (await done(world.api.get(`/primary_ips/${ipv4}`))).primary_ip
    assert.deepEqual([assignee_id, auto_delete], [null, true])
    assert.deepEqual((await done(world.api.get(`/certificates/${certificate}`))).certificate.used_by, [])
    assert.deepEqual((await done(world.api.get(`/networks/${network}`))).network.load_balancers, [])
    assert.deepEqual((await serverOf(world.api, server)).load_balancers, [])
    await world.app.jobs.run()
    assert.equal(world.simulation.world.loadBalancers.has(load_balancer.id), false)
    await checkConsistency(world, { pendingToo: true })
    await done(world.api.post('/load_balancers', body))
  })

  test('that is deleted is gone at once, with all that hung on it, and its action says when it carries nothing', async () => {
    const world = await open({ runActions: false })
    const network = await makeSubnet(world)
    const server = await makeServer(world)
    const certificate = await makeCertificate(world)
    const services = [{ protocol: 'https', http: { certificates: [certificate] } }]
    const id = await makeBalancer(world, { network, services, targets: [toServer(server), toSelector('a=b')] })
    const { status, body } = await world.api.delete(`/load_balancers/${id}`)
    const { command: name, status: progress, resources } = body.action
    assert.deepEqual([status, name, progress], [201, 'delete_load_balancer', 'running'])
    assert.deepEqual(resources, [{ id, type: 'load_balancer' }])
    expect(await world.api.get(`/load_balancers/${id}`), 404)
    expect(await world.api.delete(`/load_balancers/${id}`), 404)
    expect(await world.api.delete(`/certificates/${certificate}`), 204)
    assert.deepEqual((await done(world.api.get(`/networks/${network}`))).network.load_balancers, [])
    assert.deepEqual((await serverOf(world.api, server)).load_balancers, [])
    assert.equal(world.simulation.world.loadBalancers.has(id), true)
    await world.settle()
    assert.equal((await outcomeOf(world.api, body.action)).status, 'success')
    assert.equal(world.simulation.world.loadBalancers.has(id), false)
  })

  test('that the data plane did not remove is removed as soon as that can be done', async () => {
    const world = await open()
    const id = await makeBalancer(world, { services: [tcp(80)] })
    world.simulation.behave(({ driver }) => (driver === 'loadBalancers' ? 'error before effect' : 'ok'))
    const { action } = await done(world.api.delete(`/load_balancers/${id}`))
    await world.settle()
    assert.equal((await outcomeOf(world.api, action)).status, 'error')
    assert.equal(world.simulation.world.loadBalancers.has(id), true)
    world.simulation.behave(() => 'ok')
    await world.app.jobs.run()
    assert.equal(world.simulation.world.loadBalancers.has(id), false)
    await checkConsistency(world, { pendingToo: true })
  })

  test('that could not follow a server does so as soon as that can be done', async () => {
    const world = await open()
    const server = await makeServer(world)
    const id = await makeBalancer(world, { services: [tcp(80)], targets: [toSelector('role=web')] })
    world.simulation.behave(({ driver }) => (driver === 'loadBalancers' ? 'error before effect' : 'ok'))
    await done(world.api.put(`/servers/${server}`, { labels: { role: 'web' } }))
    await world.settle()
    assert.deepEqual(stateOf(world, id)?.targets, [])
    world.simulation.behave(() => 'ok')
    await world.app.jobs.run()
    assert.deepEqual(
      stateOf(world, id)?.targets.map((target) => target.server),
      [server],
    )
  })

  test('answers conflict to a change and to its deletion during another change, and to nothing else', async () => {
    const world = await open({ runActions: false })
    const network = await makeSubnet(world)
    const id = await makeBalancer(world, { services: [tcp(80)] })
    const { ip } = (await balancerOf(world.api, id)).public_net.ipv4
    await done(command(world.api, id, 'change_algorithm', { type: 'least_connections' }))
    const changes: [string, object?][] = [
      ['add_service', tcp(81)],
      ['update_service', { listen_port: 80, destination_port: 81 }],
      ['delete_service', { listen_port: 80 }],
      ['add_target', toSelector('a=b')],
      ['remove_target', toSelector('a=b')],
      ['attach_to_network', { network }],
      ['detach_from_network', { network }],
      ['change_algorithm', { type: 'round_robin' }],
      ['change_type', { load_balancer_type: 'lb21' }],
      ['enable_public_interface'],
      ['disable_public_interface'],
    ]
    for (const [path, body] of changes) expect(await command(world.api, id, path, body), 409, 'conflict')
    expect(await world.api.delete(`/load_balancers/${id}`), 409, 'conflict')
    expect(await world.api.put(`/load_balancers/${id}`, { labels: { a: 'b' } }), 200)
    expect(await command(world.api, id, 'change_dns_ptr', { ip, dns_ptr: 'www.example.com' }), 201)
    expect(await command(world.api, id, 'change_protection', { delete: false }), 201)
    await world.settle()
    const { algorithm, services } = await balancerOf(world.api, id)
    assert.deepEqual([algorithm.type, services.length], ['least_connections', 1])
    expect(await command(world.api, id, 'add_service', tcp(81)), 201)
  })

  test('has all of several targets that are added at once, each on its own when it is told to repeat', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    const selectors = ['a=1', 'a=2', 'a=3', 'a=4'].map((selector) => toSelector(selector))
    const answers = await Promise.all(selectors.map((target) => command(world.api, id, 'add_target', target)))
    await world.settle()
    const added = answers.filter(({ status }) => status === 201).length
    assert.ok(added >= 1)
    assert.ok(answers.every(({ status, body }) => status === 201 || body.error.code === 'conflict'))
    assert.equal((await balancerOf(world.api, id)).targets.length, added)
  })

  test('fails to go back to what the data plane refuses as well, and gets there as soon as that can be done', async () => {
    const world = await open()
    const id = await makeBalancer(world, { services: [tcp(80)] })
    const before = stateOf(world, id)
    fail(world)
    await done(command(world.api, id, 'add_service', tcp(81)))
    await world.settle()
    assert.equal((await balancerOf(world.api, id)).services.length, 1)
    world.simulation.behave(() => 'ok')
    await world.app.jobs.run()
    assert.deepEqual(stateOf(world, id), before)
  })
})
