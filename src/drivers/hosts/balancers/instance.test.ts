/** How balancers are instances, and which instances are balancers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyState } from '../../../../test/kit/samples/balancer-states.ts'
import type { Instance } from '../../../protocols/incus/edit.ts'
import { balancerIdOf, configOf, devicesOf, isAsWanted } from './instance.ts'

const internal = { ipv4: '172.31.16.7', ipv6: 'fd00:172:31::7' }
const hosts = { pool: 'local', publicNetwork: 'pub' }
const state = { ...emptyState, id: 7, generation: 3, place: { network: 9, address: '10.0.0.5' } }

function made(config: Instance['config'], devices: Instance['devices']): Instance {
  const fixed = { name: 'lb-7', location: 'h1', status: 'Running', type: 'container', architecture: 'x86_64' } as const
  return { ...fixed, description: '', ephemeral: false, profiles: [], config, devices }
}

test('a balancer has the public network, and the private one of its place', () => {
  const { eth0, eth1 } = devicesOf(state, internal, hosts)
  assert.deepEqual([eth0?.network, eth0?.['ipv4.address']], ['pub', internal.ipv4])
  assert.deepEqual([eth1?.network, eth1?.['ipv4.address']], ['wn9', '10.0.0.5'])
  assert.equal(devicesOf({ ...state, place: null }, internal, hosts).eth1, undefined)
})

test('what Incus adds to the configuration does not matter, and every device does', () => {
  const [config, devices] = [configOf(state), devicesOf(state, internal, hosts)]
  const instance = made({ ...config, 'volatile.uuid': 'x' }, devices)
  assert.ok(isAsWanted(instance, config, devices))
  assert.ok(!isAsWanted(instance, configOf({ ...state, generation: 4 }), devices))
  assert.ok(!isAsWanted(instance, config, devicesOf({ ...state, place: null }, internal, hosts)))
})

test('only what has the name and the mark is a balancer, or the name alone on a host that does not answer', () => {
  const config = configOf(state)
  assert.equal(balancerIdOf({ name: 'lb-7', config }), 7)
  assert.equal(balancerIdOf({ name: 'lb-7', config: null }), 7)
  assert.equal(balancerIdOf({ name: 'lb-7', config: {} }), undefined)
  assert.equal(balancerIdOf({ name: 'srv-7', config: null }), undefined)
})
