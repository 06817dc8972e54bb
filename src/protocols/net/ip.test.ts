import assert from 'node:assert/strict'
import { isIPv6 } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { addressAt, cidrContains, cidrSize, parseAddress, parseCidr, subnetAt } from './ip.ts'

describe('parseCidr', () => {
  const valid: [string, string, 4 | 6, number][] = [
    ['28.239.13.1/32', '28.239.13.1/32', 4, 32],
    ['28.239.14.0/24', '28.239.14.0/24', 4, 24],
    ['0.0.0.0/0', '0.0.0.0/0', 4, 0],
    ['255.255.255.255/32', '255.255.255.255/32', 4, 32],
    ['::/0', '::/0', 6, 0],
    ['2001:DB8::/32', '2001:db8::/32', 6, 32],
    ['2001:0db8:0000:0000:0001:0000:0000:0001/128', '2001:db8::1:0:0:1/128', 6, 128],
    ['ff21:1eac:9a3b:ee58:5ca:990c:8bc9:c03b/128', 'ff21:1eac:9a3b:ee58:5ca:990c:8bc9:c03b/128', 6, 128],
    ['::ffff:1.2.3.4/128', '::ffff:102:304/128', 6, 128],
  ]
  for (const [text, cidr, family, prefixLength] of valid) {
    it(`reads ${text}`, () => assert.deepEqual(parseCidr(text), { ok: true, cidr, family, prefixLength }))
  }

  const messages: [string, string][] = [
    ['10.0.0.1/8', '10.0.0.1/8 has host bits set; the network is 10.0.0.0/8'],
    ['0.0.0.1/0', '0.0.0.1/0 has host bits set; the network is 0.0.0.0/0'],
    ['2001:DB8::1/64', '2001:db8::1/64 has host bits set; the network is 2001:db8::/64'],
    ['10.0.0.1', '"10.0.0.1" has no mask, such as /32'],
    ['10.0.0.0/33', '"10.0.0.0/33" must have a mask from /0 to /32'],
    ['::/129', '"::/129" must have a mask from /0 to /128'],
    ['10.0.0/8', '"10.0.0/8" does not begin with an ip address'],
    [`::/${'0'.repeat(62)}`, 'a network cannot have more than 64 characters'],
  ]
  for (const [text, message] of messages) {
    it(`refuses ${text}`, () => assert.deepEqual(parseCidr(text), { ok: false, message }))
  }

  const masks = ['', ' 8', '8 ', '+8', '-8', '08', '00', '0x8', '8.0', '8/8', '255.0.0.0', '1e1', '٨']
  for (const mask of masks) {
    it(`refuses the mask ${JSON.stringify(mask)}`, () => assert.equal(parseCidr(`10.0.0.0/${mask}`).ok, false))
  }
})

describe('parseAddress', () => {
  const valid: [string, string, 4 | 6][] = [
    ['192.0.2.7', '192.0.2.7', 4],
    ['::', '::', 6],
    ['::1', '::1', 6],
    ['1::', '1::', 6],
    ['1:0:2:0:3:0:4:0', '1:0:2:0:3:0:4:0', 6],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3', 6],
    ['64:ff9b::192.0.2.7', '64:ff9b::c000:207', 6],
    ['::192.0.2.7', '::c000:207', 6],
    ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4:5:6:c000:207', 6],
    ['2001:DB8::A', '2001:db8::a', 6],
  ]
  for (const [text, address, family] of valid) {
    it(`reads ${text}`, () => assert.deepEqual(parseAddress(text), { ok: true, address, family }))
  }

  const invalid = [
    '',
    '1',
    '0x7f.1',
    '0x7f.0.0.1',
    '127.1',
    '2130706433',
    '01.2.3.4',
    '1.2.3.00',
    '1.2.3.256',
    '1.2.3.4.5',
    '1.2.3.',
    '.1.2.3',
    '1..2.3',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '1.2.3.4\0',
    '::1\0',
    '١.2.3.4',
    '1.2.3.4/32',
    'fe80::1%eth0',
    'fe80::1%',
    '[::1]',
    ':',
    ':::',
    ':1',
    '1:',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '1:2:3:4::5:6:7:8',
    '1:2:3:4:5:6:7:192.0.2.7',
    '::1.2.3.4:5',
    '::0x1',
    '::12345',
    '::g',
    '::1.2.3',
    '::1.2.3.04',
    '::1.2.3.256',
    '1.2.3.4::',
    '1:2:3:4:5:6:7:1.2.3.4',
  ]
  for (const text of invalid) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseAddress(text), { ok: false, message: `${JSON.stringify(text)} is not an ip address` })
    })
  }

  it('refuses long text without echoing it', () => {
    const message = 'an ip address cannot have more than 64 characters'
    assert.deepEqual(parseAddress('1'.repeat(65)), { ok: false, message })
  })

  it('agrees with the URL standard on every IPv6 address', () => {
    const group = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(0xffff) })
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.boolean(), (groups, upper) => {
        const full = groups.map((number) => number.toString(16).padStart(4, '0')).join(':')
        const address = new URL(`http://[${full}]/`).hostname.slice(1, -1)
        const mixed = `${full.slice(0, 30)}${groups
          .slice(6)
          .map((n) => `${n >> 8}.${n & 255}`)
          .join('.')}`
        for (const text of [upper ? full.toUpperCase() : full, address, mixed]) {
          assert.deepEqual(parseAddress(text), { ok: true, address, family: 6 })
        }
      }),
      { numRuns: 300 },
    )
  })

  it('never throws, and accepts only what it can print and read again', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'0125af:./%'), maxLength: 20 })
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string(), fc.ipV4(), fc.ipV6()), (text) => {
        parseCidr(text)
        const result = parseAddress(text)
        if (result.ok) assert.deepEqual(parseAddress(result.address), result)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('network arithmetic', () => {
  it('addresses a network', () => {
    assert.equal(addressAt('10.0.0.0/8', 0n), '10.0.0.0')
    assert.equal(addressAt('10.0.0.0/8', 256n), '10.0.1.0')
    assert.equal(addressAt('255.255.255.0/24', 255n), '255.255.255.255')
    assert.equal(addressAt('2001:db8::/64', 1n), '2001:db8::1')
    assert.equal(addressAt('2001:db8::/64', (1n << 64n) - 1n), '2001:db8::ffff:ffff:ffff:ffff')
  })

  it('measures a network', () => {
    assert.equal(cidrSize('192.0.2.7/32'), 1n)
    assert.equal(cidrSize('0.0.0.0/0'), 1n << 32n)
    assert.equal(cidrSize('::/0'), 1n << 128n)
  })

  it('divides a network', () => {
    assert.equal(subnetAt('2001:db8::/32', 64, 0n), '2001:db8::/64')
    assert.equal(subnetAt('2001:db8::/32', 64, 1n), '2001:db8:0:1::/64')
    assert.equal(subnetAt('2001:db8::/32', 64, (1n << 32n) - 1n), '2001:db8:ffff:ffff::/64')
    assert.equal(subnetAt('10.0.0.0/8', 8, 0n), '10.0.0.0/8')
    assert.equal(subnetAt('10.0.0.0/8', 32, 7n), '10.0.0.7/32')
  })

  it('tells members from others', () => {
    assert.equal(cidrContains('10.0.0.0/8', '10.255.255.255'), true)
    assert.equal(cidrContains('10.0.0.0/8', '11.0.0.0'), false)
    assert.equal(cidrContains('0.0.0.0/0', '192.0.2.7'), true)
    assert.equal(cidrContains('::/0', '192.0.2.7'), false)
    assert.equal(cidrContains('0.0.0.0/0', '::ffff:192.0.2.7'), false)
    assert.equal(cidrContains('2001:db8::/32', '2001:DB8:1::'), true)
  })

  const defects: [string, () => unknown][] = [
    ['an offset past the end', () => addressAt('10.0.0.0/24', 256n)],
    ['a negative offset', () => addressAt('10.0.0.0/24', -1n)],
    ['a malformed network', () => cidrSize('10.0.0.1/24')],
    ['an index past the end', () => subnetAt('10.0.0.0/24', 25, 2n)],
    ['a negative index', () => subnetAt('10.0.0.0/24', 25, -1n)],
    ['a subnet larger than the network', () => subnetAt('10.0.0.0/24', 23, 0n)],
    ['a prefix longer than the address', () => subnetAt('10.0.0.0/24', 33, 0n)],
    ['a fractional prefix', () => subnetAt('10.0.0.0/24', 24.5, 0n)],
    ['a malformed member', () => cidrContains('10.0.0.0/24', '10.0.0')],
    ['a member too long', () => cidrContains('10.0.0.0/24', '1'.repeat(100))],
  ]
  for (const [what, action] of defects) it(`throws on ${what}`, () => assert.throws(action, RangeError))

  it('is consistent for any network', () => {
    const network = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
    )
    fc.assert(
      fc.property(
        network,
        fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
        fc.nat(128),
        ([address, prefix], n, extra) => {
          const cidr = networkOf(`${address}/${prefix}`)
          const size = cidrSize(cidr)
          assert.ok(cidrContains(cidr, address))
          assert.ok(cidrContains(cidr, addressAt(cidr, n % size)))
          const longer = Math.min(prefix + extra, address.includes(':') ? 128 : 32)
          const subnet = subnetAt(cidr, longer, n % (1n << BigInt(longer - prefix)))
          assert.deepEqual(networkOf(subnet), subnet)
          assert.ok(cidrContains(cidr, addressAt(subnet, 0n)))
          assert.ok(cidrContains(cidr, addressAt(subnet, cidrSize(subnet) - 1n)))
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('parseAddress and the parser of the system', () => {
  it('take the same texts for IPv6', () => {
    const group = fc.constantFrom('0', '1', 'ffff', 'ABC', '12345', '', 'g', '1.2.3.4', '01.2.3.4', '1.2.3', '%eth0')
    const text = fc
      .tuple(fc.array(group, { maxLength: 9 }), fc.constantFrom('', '::', ':'), fc.constantFrom('', '::', '::1'))
      .map(([groups, start, end]) => start + groups.join(':') + end)
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseAddress(given)
        const isPlain = given.length <= 64 && /^[\da-f:.]+$/i.test(given)
        assert.equal(parsed.ok && parsed.family === 6, isPlain && isIPv6(given))
      }),
      { numRuns: 2_000 },
    )
  })
})

/** The network of an address with host bits, taken from the message about them. */
function networkOf(text: string): string {
  const result = parseCidr(text)
  if (result.ok) return result.cidr
  const [, cidr] = /has host bits set; the network is (.*)$/.exec(result.message) ?? []
  assert.ok(cidr !== undefined, result.message)
  return cidr
}
