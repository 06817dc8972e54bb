/** The network configuration of guests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../protocols/incus/edit.ts'
import { withPrivateEthernets, withPublicEthernet } from './network-config.ts'

const ethernet = (name: string, address: string) => ({
  name,
  mac: '96:00:00:00:00:01',
  addresses: [address],
  routes: [],
})

/** The addresses of interfaces in a configuration, by name. */
function addressesIn(config: Config): Record<string, readonly string[]> {
  const { version, ethernets } = JSON.parse(config['cloud-init.network-config']!)
  assert.equal(version, 2)
  return Object.fromEntries(
    Object.entries<{ addresses: string[] }>(ethernets).map(([name, one]) => [name, one.addresses]),
  )
}

test('private interfaces stand beside the public one, replace each other, and stay when the public one changes', () => {
  const first = withPublicEthernet({}, 'container', ethernet('eth0', '198.18.0.7/32'))
  const both = withPrivateEthernets(first, 'container', [ethernet('eth1', '10.0.0.2/32')])
  assert.deepEqual(addressesIn(both), { eth0: ['198.18.0.7/32'], eth1: ['10.0.0.2/32'] })

  const moved = withPublicEthernet(both, 'container', ethernet('eth0', '198.18.0.8/32'))
  assert.deepEqual(addressesIn(moved), { eth0: ['198.18.0.8/32'], eth1: ['10.0.0.2/32'] })
  assert.deepEqual(addressesIn(withPrivateEthernets(moved, 'container', [])), { eth0: ['198.18.0.8/32'] })
})

test('virtual machines know their interfaces by hardware addresses, containers by names', () => {
  const ethernetOf = (type: 'container' | 'virtual-machine') =>
    JSON.parse(withPublicEthernet({}, type, ethernet('eth0', '198.18.0.7/32'))['cloud-init.network-config']!).ethernets
      .eth0
  assert.deepEqual(ethernetOf('virtual-machine').match, { macaddress: '96:00:00:00:00:01' })
  assert.equal(ethernetOf('virtual-machine')['set-name'], 'eth0')
  assert.equal('match' in ethernetOf('container'), false)
  assert.deepEqual(
    ethernetOf('container')['link-local'],
    [],
    'what the kernel asks for before the boot is not waited for',
  )
  assert.equal('link-local' in ethernetOf('virtual-machine'), false)
})
