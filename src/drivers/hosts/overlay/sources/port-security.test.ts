/** Promises of what OVN checks of a port: a server may have any address but those of its router. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressAt, cidrContains } from '../../../../protocols/net/ip.ts'
import { networksBeside, portSecurity } from './port-security.ts'

const mac = '96:00:00:00:00:07'
const router = ['fd00:172:31::1', 'fe80::1266:6aff:fe00:1', 'fe80::1']
const [first, ...networks] = portSecurity(mac, networksBeside(router)).split(' ')

const isAllowed = (address: string) => networks.some((network) => cidrContains(network, address))

test('a port may not be the router on its link, but anything else', () => {
  assert.equal(first, mac)
  assert.deepEqual(router.map(isAllowed), [true, false, false])
  for (const own of ['fe80::9400:ff:fe00:7', '198.18.0.7', '2001:db8:100:7::1']) assert.ok(isAllowed(own), own)
  const chosen = fc.bigInt({ min: 1n << 33n, max: (1n << 64n) - 1n }).map((id) => addressAt('fe80::/64', id))
  fc.assert(fc.property(chosen, (address) => isAllowed(address) || address.startsWith('fe80::1266:6aff:')))
})

test('OVN reads networks without bits of hosts', () => {
  for (const network of networks) assert.equal(network.split('/')[0], addressAt(network, 0n))
  assert.ok(networks.length < 80)
})
