/** The network configuration of guests with interfaces in private networks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from './names.ts'
import { keepingPrivateEthernets, withPrivateEthernets } from './private-config.ts'

const publicPart = (address: string): Config => ({
  'cloud-init.network-config': `version: 2\nethernets: {"eth0":{"addresses":["${address}"]}}\n`,
})
const ethernet = { name: 'eth1', mac: '86:00:00:00:00:01', ip: '10.0.0.2', gateway: '10.0.0.1', ipRange: '10.0.0.0/16' }

/** The interfaces in a configuration, by name. */
function ethernetsIn(config: Config): Record<string, { addresses: string[] }> {
  const text = config['cloud-init.network-config']!
  assert.match(text, /^version: 2\nethernets: .*\n$/)
  return JSON.parse(text.split('ethernets: ')[1]!)
}

test('private interfaces stand beside the public one, replace each other, and stay when the public one changes', () => {
  const first = { ...publicPart('198.18.0.7/32'), ...withPrivateEthernets(publicPart('198.18.0.7/32'), [ethernet]) }
  assert.deepEqual(ethernetsIn(first).eth0!.addresses, ['198.18.0.7/32'])
  assert.deepEqual(ethernetsIn(first).eth1!.addresses, ['10.0.0.2/32'])

  const other = { ...first, ...keepingPrivateEthernets(publicPart('198.18.0.8/32'), first) }
  assert.deepEqual(ethernetsIn(other).eth0!.addresses, ['198.18.0.8/32'])
  assert.deepEqual(ethernetsIn(other).eth1!.addresses, ['10.0.0.2/32'])

  const gone = { ...other, ...withPrivateEthernets(other, []) }
  assert.deepEqual(Object.keys(ethernetsIn(gone)), ['eth0'])
})

test('an instance without network configuration gets none', () => {
  assert.deepEqual(Object.keys(withPrivateEthernets({}, [ethernet])), ['user.wolke.private'])
})
