import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects, testClock, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { expect, refused } from '../../../../test/kit/resources.ts'
import { cloudSubnet, makeNetwork } from '../../networks/proof.ts'
import { makeServer, serverOf } from '../../servers/proof.ts'
import { balancerBody, balancerOf, command, makeBalancer, toSelector, toServer } from '../proof.ts'

const subnets = [cloudSubnet('10.0.1.0/24'), cloudSubnet('10.0.2.0/24')]

/** Attaches or detaches, and shows the places afterwards. */
async function change(world: World, id: number, path: string, body: { readonly network: number }) {
  const { action } = await done(command(world.api, id, path, body))
  assert.equal(action.command, path)
  assert.deepEqual(action.resources, [
    { id, type: 'load_balancer' },
    { id: body.network, type: 'network' },
  ])
  await world.settle()
  return (await balancerOf(world.api, id)).private_net
}

const placeOf = ({ simulation }: World, id: number) => simulation.world.loadBalancers.get(id)!.state.place

forProjects('Load Balancers in networks', (open) => {
  test('get the lowest free address, or the one or the subnet that they name', async () => {
    const world = await open()
    const network = await makeNetwork(world, { subnets })
    const wishes = [{}, { ip: '10.0.1.9' }, { ip_range: '10.0.2.0/24' }, { ip: '10.0.2.9', ip_range: '10.0.2.0/24' }]
    const addresses = ['10.0.1.1', '10.0.1.9', '10.0.2.1', '10.0.2.9']
    for (const [at, wish] of wishes.entries()) {
      const id = await makeBalancer(world)
      assert.deepEqual(await change(world, id, 'attach_to_network', { network, ...wish }), [
        { network, ip: addresses[at] },
      ])
      assert.deepEqual(placeOf(world, id), { network, address: addresses[at] })
    }
    const id = await makeBalancer(world)
    const ask = (more: object) => command(world.api, id, 'attach_to_network', { network, ...more })
    for (const ip of ['10.0.1.9', '10.0.0.1', '10.0.3.7', '192.168.0.1'])
      expect(await ask({ ip }), 422, 'ip_not_available')
    refused(await ask({ ip_range: 'everywhere' }), 'ip_range')
    refused(await ask({ ip: 'somewhere' }), 'ip')
    expect(await command(world.api, id, 'attach_to_network', { network: network + 1 }), 404, 'not_found')
    const bare = await makeNetwork(world)
    expect(await command(world.api, id, 'attach_to_network', { network: bare }), 422, 'no_subnet_available')
    const far = await makeBalancer(world, { location: 'ash' })
    expect(await command(world.api, far, 'attach_to_network', { network }), 422, 'no_subnet_available')
  })

  test('are in one at most', async () => {
    const world = await open()
    const [network, other] = [await makeNetwork(world, { subnets }), await makeNetwork(world, { subnets })]
    const id = await makeBalancer(world, { network })
    for (const again of [network, other]) {
      const answer = await command(world.api, id, 'attach_to_network', { network: again })
      expect(answer, 422, 'load_balancer_already_attached')
    }
    const detach = (from: number) => command(world.api, id, 'detach_from_network', { network: from })
    expect(await detach(other), 404, 'not_found')
    await change(world, id, 'detach_from_network', { network })
    expect(await detach(network), 404, 'not_found')
    assert.deepEqual(await change(world, id, 'attach_to_network', { network: other }), [
      { network: other, ip: '10.0.1.1' },
    ])
  })

  test('lose with their network what they reach there, keep the rest, and their address is free again', async () => {
    const world = await open()
    const network = await makeNetwork(world, { subnets })
    const server = await makeServer(world, { networks: [network] })
    const targets = [toServer(server, true), toSelector('a=b', true), toSelector('c=d')]
    const id = await makeBalancer(world, { network, targets })
    assert.deepEqual(await change(world, id, 'detach_from_network', { network }), [])
    const { targets: left } = await balancerOf(world.api, id)
    assert.deepEqual(
      left.map((target: { label_selector: object }) => target.label_selector),
      [{ selector: 'c=d' }],
    )
    assert.deepEqual([placeOf(world, id), (await serverOf(world.api, server)).load_balancers], [null, []])
    const next = await makeServer(world, { networks: [network] })
    assert.equal((await serverOf(world.api, next)).private_net[0].ip, '10.0.1.2')
  })

  test('are listed as members beside servers, with what is being done with them', async () => {
    const world = await open({ runActions: false })
    const network = await makeNetwork(world, { subnets })
    const server = await makeServer(world, { networks: [network] })
    const id = await makeBalancer(world)
    const members = async (query = '') => (await done(world.api.get(`/networks/${network}/members?${query}`))).members
    const statusAfter = async (path: string) => {
      await done(command(world.api, id, path, { network }))
      const [{ status }] = await members('type=load_balancer')
      await world.settle()
      return status
    }
    assert.equal(await statusAfter('attach_to_network'), 'attaching')
    const member = { type: 'load_balancer', id, ip: '10.0.1.2', alias_ips: [], subnet: '10.0.1.0/24', status: 'ok' }
    assert.deepEqual(await members('type=load_balancer'), [member])
    const types = (await members('sort=type')).map((one: { type: string; id: number }) => [one.type, one.id])
    assert.deepEqual(types, [
      ['load_balancer', id],
      ['server', server],
    ])
    assert.deepEqual((await done(world.api.get(`/networks/${network}`))).network.load_balancers, [id])
    assert.equal(await statusAfter('detach_from_network'), 'detaching')
    assert.deepEqual(await members('type=load_balancer'), [])
    assert.deepEqual((await done(world.api.get(`/networks/${network}`))).network.load_balancers, [])
  })

  test('keep their subnet from being deleted, and count among the members that a network may have', async () => {
    const world = await open({ limits: { network_members: 1 } })
    const network = await makeNetwork(world, { subnets })
    await makeBalancer(world, { network })
    const deleted = await world.api.post(`/networks/${network}/actions/delete_subnet`, { ip_range: '10.0.1.0/24' })
    expect(deleted, 422, 'service_error')
    assert.match(deleted.body.error.message, /Load Balancers are attached/)
    const answer = await world.api.post('/load_balancers', balancerBody({ network }))
    expect(answer, 403, 'resource_limit_exceeded')
    assert.deepEqual(answer.body.error.details, { limits: [{ name: 'network_members' }] })
  })

  test('could not name a subnet before September 2025', async () => {
    const world = await open({ clock: testClock('2025-08-31T12:00:00Z') })
    const network = await makeNetwork(world, { subnets })
    const id = await makeBalancer(world)
    refused(await command(world.api, id, 'attach_to_network', { network, ip_range: '10.0.2.0/24' }), 'ip_range')
  })
})
