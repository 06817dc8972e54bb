import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressAt, cidrSize } from './ip.ts'
import { isPrivateAddress } from './private-networks.ts'

/** Networks that are not public, each with the addresses directly before and after it if those are public. */
const networks: [network: string, before: string | null, behind: string | null][] = [
  ['0.0.0.0/8', null, '1.0.0.0'],
  ['10.0.0.0/8', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '191.255.255.255', '192.0.1.0'],
  ['192.31.196.0/24', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0/24', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0/24', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0/24', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0/15', '198.17.255.255', '198.20.0.0'],
  ['224.0.0.0/4', '223.255.255.255', null],
  ['240.0.0.0/4', null, null],
  ['255.255.255.255/32', null, null],
  ['::/128', null, null],
  ['::1/128', null, null],
  // All IPv4-compatible, mapped and translated addresses.
  ['::/96', null, null],
  ['::808:808/128', null, null],
  ['::ffff:0:0/96', null, null],
  ['::ffff:808:808/128', null, null],
  ['::ffff:0:0:0/96', null, null],
  ['::ffff:0:808:808/128', null, null],
  ['64:ff9b:1::/48', null, null],
  ['64:ff9b:1:808::808:808/128', null, null],
  ['100::/64', null, null],
  ['100:0:0:1::/64', null, null],
  ['::/3', null, '2000::'],
  ['2001::/32', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ['2001:1::1/128', null, null],
  ['2001:2::/48', null, null],
  ['2001:3::/32', null, null],
  ['2001:4:112::/48', null, null],
  ['2001:10::/28', null, null],
  ['2001:20::/28', null, null],
  ['2001:30::/28', null, null],
  ['2001::/23', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2002::/16', '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ['2620:4f:8000::/48', '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::'],
  ['4000::/2', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ['5f00::/16', null, null],
  ['8000::/1', null, null],
  ['fc00::/7', null, null],
  ['fe80::/10', null, null],
  ['fec0::/10', null, null],
  ['ff00::/8', null, null],
]

describe('isPrivateAddress', () => {
  for (const [network, before, behind] of networks) {
    it(`finds all of ${network} and nothing beside it`, () => {
      for (const offset of [0n, cidrSize(network) - 1n]) {
        const address = addressAt(network, offset)
        assert.equal(isPrivateAddress(address), true, address)
      }
      for (const address of [before, behind])
        if (address !== null) assert.equal(isPrivateAddress(address), false, address)
    })
  }

  for (const network of ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20']) {
    it(`leaves documentation alone: ${network}`, () => {
      for (const offset of [0n, cidrSize(network) - 1n])
        assert.equal(isPrivateAddress(addressAt(network, offset)), false)
    })
  }

  it('takes an address behind NAT64 for what it stands for', () => {
    for (const [address, expected] of [
      ['64:ff9b::', true],
      ['64:ff9b::a00:1', true],
      ['64:ff9b::7f00:1', true],
      ['64:ff9b::c612:0', true],
      ['64:ff9b::1', true],
      ['64:ff9b::ffff:ffff', true],
      ['64:ff9b::808:808', false],
      ['64:ff9b::100:0', false],
      ['64:ff9b::1:0:0', true],
      ['64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff', true],
    ] as const) {
      assert.equal(isPrivateAddress(address), expected, address)
    }
  })
})
