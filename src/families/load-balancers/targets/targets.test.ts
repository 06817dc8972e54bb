import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase, type World } from '../../../../test/kit/harness.ts'
import { done } from '../../../../test/kit/proof.ts'
import { expect, refused } from '../../../../test/kit/resources.ts'
import { builtIn } from '../../../catalogue/built-in.ts'
import { openCatalogue } from '../../../catalogue/catalogue.ts'
import { cloudSubnet, makeNetwork, vswitchCatalogue, vswitchSubnet } from '../../networks/proof.ts'
import { makeServer, privateOnly, serverOf } from '../../servers/proof.ts'
import { balancerBody, balancerOf, command, makeBalancer, tcp, toIp, toSelector, toServer } from '../proof.ts'

const makeSubnet = (world: World) => makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })

/** Changes the targets, and shows them once the change is in force. */
async function change(world: World, id: number, path: string, body: object) {
  const { action } = await done(command(world.api, id, path, body))
  assert.deepEqual([action.command, action.resources], [path, [{ id, type: 'load_balancer' }]])
  await world.settle()
  return (await balancerOf(world.api, id)).targets
}

/** Where the traffic goes. */
const reached = ({ simulation }: World, id: number) =>
  simulation.world.loadBalancers.get(id)!.state.targets.map(({ address }) => address)

const owned = openCatalogue({
  ...builtIn,
  external_addresses: [
    { project: 'first', ip_range: '198.18.7.0/24' },
    { project: 'second', ip_range: '198.18.8.0/24' },
  ],
})

forEachDatabase('Targets of Load Balancers', (open) => {
  test('a server is reached by its public IPv4 address, and shows which Load Balancers it is a target of', async () => {
    const world = await open()
    const server = await makeServer(world)
    const id = await makeBalancer(world)
    const target = { type: 'server', server: { id: server }, use_private_ip: false, health_status: [] }
    assert.deepEqual(await change(world, id, 'add_target', { type: 'server', server: { id: server } }), [target])
    const { public_net, load_balancers } = await serverOf(world.api, server)
    assert.deepEqual([reached(world, id), load_balancers], [[public_net.ipv4.ip], [id]])
    assert.deepEqual(await change(world, id, 'remove_target', { type: 'server', server: { id: server } }), [])
    assert.deepEqual([reached(world, id), (await serverOf(world.api, server)).load_balancers], [[], []])
  })

  test('a server is reached by its address in the network of the Load Balancer when that is asked for', async () => {
    const world = await open()
    const network = await makeSubnet(world)
    const server = await makeServer(world, { ...privateOnly, networks: [network] })
    const id = await makeBalancer(world, { network, public_interface: false })
    const [target] = await change(world, id, 'add_target', toServer(server, true))
    assert.equal(target.use_private_ip, true)
    const [{ ip }] = (await serverOf(world.api, server)).private_net
    assert.deepEqual(reached(world, id), [ip])
  })

  test('a label selector stands for the servers that it matches, of which there may be none', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    const selector = { type: 'label_selector', label_selector: { selector: 'role=web' }, use_private_ip: false }
    assert.deepEqual(await change(world, id, 'add_target', selector), [{ ...selector, targets: [] }])
    const server = await makeServer(world, { labels: { role: 'web' } })
    const matched = { type: 'server', server: { id: server }, use_private_ip: false, health_status: [] }
    const { targets } = await balancerOf(world.api, id)
    assert.deepEqual(targets, [{ ...selector, targets: [matched] }])
    assert.deepEqual(await change(world, id, 'remove_target', toSelector('role == web')), [])
    assert.deepEqual(reached(world, id), [])
  })

  test('an address outside of the cloud is a target for the Project that owns it, and has no use_private_ip', async () => {
    const world = await open({ catalogue: owned })
    const id = await makeBalancer(world)
    const target = { type: 'ip', ip: { ip: '198.18.7.9' } }
    assert.deepEqual(await change(world, id, 'add_target', target), [{ ...target, health_status: [] }])
    assert.deepEqual(reached(world, id), ['198.18.7.9'])
    expect(await command(world.api, id, 'add_target', toIp('198.18.8.9')), 422, 'ip_not_owned')
    const pooled = await command(world.api, id, 'add_target', toIp('192.0.2.200'))
    expect(pooled, 422, 'cloud_resource_ip_not_allowed')
    refused(await command(world.api, id, 'add_target', toIp('198.18.7.256')), 'ip.ip')
    assert.deepEqual(await change(world, id, 'remove_target', toIp('198.18.7.9')), [])
  })

  test('a private address is a target when a vSwitch of the network of the Load Balancer leads to it', async () => {
    const world = await open({ catalogue: vswitchCatalogue })
    const subnets = [cloudSubnet('10.0.1.0/24'), vswitchSubnet('10.0.2.0/24')]
    const id = await makeBalancer(world, { network: await makeNetwork(world, { subnets }) })
    await change(world, id, 'add_target', toIp('10.0.2.7'))
    assert.deepEqual(reached(world, id), ['10.0.2.7'])
    expect(await command(world.api, id, 'add_target', toIp('10.0.1.7')), 422, 'ip_not_in_vswitch_subnet')
    const without = await makeBalancer(world, { network: await makeSubnet(world) })
    expect(await command(world.api, without, 'add_target', toIp('10.0.2.7')), 422, 'network_has_no_vswitch_subnet')
    const outside = await makeBalancer(world)
    const answer = await command(world.api, outside, 'add_target', toIp('10.0.2.7'))
    expect(answer, 422, 'load_balancer_not_attached_to_network')
  })

  test('a target is there once, however it is written, and what is not there cannot be removed', async () => {
    const world = await open({ catalogue: owned })
    const server = await makeServer(world)
    const targets = [toServer(server), toSelector('a=b,c'), toIp('198.18.7.9')]
    const id = await makeBalancer(world, { targets })
    for (const target of [toServer(server), toSelector('a == b , c'), toIp('198.18.7.9')]) {
      expect(await command(world.api, id, 'add_target', target), 422, 'target_already_defined')
    }
    const twice = balancerBody({
      targets: [toSelector('a=b'), toSelector('a=b', true)],
      network: await makeSubnet(world),
    })
    expect(await world.api.post('/load_balancers', twice), 422, 'target_already_defined')
    for (const target of [toServer(server + 1), toSelector('a=c'), toIp('198.18.7.8')]) {
      const answer = await command(world.api, id, 'remove_target', target)
      expect(answer, 422, 'load_balancer_target_not_found')
      assert.match(answer.body.error.message, /target not found/)
    }
  })

  test('what a Load Balancer cannot reach is refused, when it is added and with the creation', async () => {
    const world = await open()
    const network = await makeSubnet(world)
    const server = await makeServer(world)
    const without = await makeServer(world, privateOnly)
    const cases: [object, object, string][] = [
      [{}, toServer(server, true), 'load_balancer_not_attached_to_network'],
      [{}, toSelector('a=b', true), 'load_balancer_not_attached_to_network'],
      [{}, toServer(without), 'missing_ipv4'],
      [{ network }, toServer(server, true), 'server_not_attached_to_network'],
      [{ network, public_interface: false }, toServer(server), 'load_balancer_public_interface_disabled'],
      [{ network, public_interface: false }, toSelector('a=b'), 'load_balancer_public_interface_disabled'],
    ]
    for (const [more, target, code] of cases) {
      const added = await command(world.api, await makeBalancer(world, more), 'add_target', target)
      expect(added, 422, code)
      expect(await world.api.post('/load_balancers', balancerBody({ ...more, targets: [target] })), 422, code)
    }
    const hidden = await makeBalancer(world, { network, public_interface: false })
    const { message } = (await command(world.api, hidden, 'add_target', toServer(server))).body.error
    assert.equal(message, 'load balancer public interface is disabled, cannot add target using public IP')
  })

  test('a server that the Project does not have, and a target that is none, are invalid input', async () => {
    const world = await open()
    const server = await makeServer(world)
    const id = await makeBalancer(world)
    const unknown = await command(world.api, id, 'add_target', toServer(server + 1))
    assert.equal(unknown.body.error.message, 'cloud target was not found')
    refused(unknown, 'server')
    const theirs = await makeBalancer({ ...world, api: world.foreign })
    refused(await command(world.foreign, theirs, 'add_target', toServer(server)), 'server')
    const bad: [object, string][] = [
      [{ server: { id: server } }, 'type'],
      [{ type: 'cloud' }, 'type'],
      [{ type: 'server' }, 'server'],
      [{ type: 'ip' }, 'ip'],
      [{ type: 'label_selector' }, 'label_selector'],
      [{ type: 'label_selector', label_selector: { selector: 'a=(' } }, 'label_selector.selector'],
      [{ type: 'label_selector', label_selector: { selector: ' ' } }, 'label_selector.selector'],
      [{ ...toServer(server), ip: { ip: '198.18.7.9' } }, 'ip'],
    ]
    for (const [target, field] of bad) refused(await command(world.api, id, 'add_target', target), field)
    refused(await world.api.post('/load_balancers', balancerBody({ targets: [{ type: 'ip' }] })), 'targets[0].ip')
  })

  test('there are as many as the type allows, and one address gets traffic once', async () => {
    const world = await open()
    const server = await makeServer(world, { labels: { role: 'web' } })
    const selectors = Array.from({ length: 23 }, (_, index) => toSelector(`role!=x${index}`))
    const targets = [toServer(server), toSelector('role=web'), ...selectors]
    const id = await makeBalancer(world, { targets, services: [tcp(80)] })
    assert.equal(reached(world, id).length, 1)
    const answer = await command(world.api, id, 'add_target', toSelector('a=z'))
    expect(answer, 403, 'resource_limit_exceeded')
    assert.deepEqual(answer.body.error.details, { limits: [{ name: 'load_balancer_targets' }] })
    const one = balancerBody({ targets: [...targets, toSelector('a=z')] })
    expect(await world.api.post('/load_balancers', one), 403, 'resource_limit_exceeded')
  })
})
