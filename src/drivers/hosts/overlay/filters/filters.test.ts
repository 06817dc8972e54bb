/**
 * Promises of packet filters as rows of OVN: they let through what the rules accept and nothing else, and no match is of a
 * kind that OVN multiplies.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { FilterDirection, FilterRule, FilterState } from '../../../../families/firewalls/driver.ts'
import { addressAt, cidrContains, parseCidr } from '../../../../protocols/net/ip.ts'
import { guardAcls, internalAcls } from '../sources/guards.ts'
import { closedFilter, filterAcls } from './filters.ts'
import { type Acl, withoutContained } from './matches.ts'

const port = 'incus-net3-instance-0f0f0f0f-0000-4000-8000-000000000000-eth0'

const ipv4 = fc
  .tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }))
  .map(([address, length]) => canonical(`${address}/${length}`))
const ipv6 = fc
  .tuple(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), fc.integer({ min: 0, max: 128 }))
  .map(([bits, length]) => canonical(`${addressAt('::/0', bits)}/${length}`))
const near = fc.constantFrom('10.0.0.0/8', '10.1.0.0/16', '10.1.2.3/32', '0.0.0.0/0', '::/0', '2001:db8::/32')
const networks = fc.array(fc.oneof(ipv4, ipv6, near), { minLength: 1, maxLength: 12 })
const ports = fc
  .tuple(fc.integer({ min: 1, max: 65_535 }), fc.integer({ min: 1, max: 65_535 }))
  .map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) }))
const rule: fc.Arbitrary<FilterRule> = fc.oneof(
  fc.record({ protocol: fc.constantFrom('tcp', 'udp'), ports: fc.option(ports), networks }),
  fc.record({ protocol: fc.constantFrom('icmp', 'esp', 'gre'), ports: fc.constant(null), networks }),
)
const direction: fc.Arbitrary<FilterDirection> = fc.oneof(
  fc.constant<FilterDirection>({ otherwise: 'accept', accept: [] }),
  fc.array(rule, { maxLength: 6 }).map((accept): FilterDirection => ({ otherwise: 'drop', accept })),
)
const filter = fc.record({ inbound: direction, outbound: direction })

/** The whole grammar of matches: terms of fixed forms, of which one at most lists addresses. */
const address = '[0-9a-f.:]+(?:/\\d{1,3})?'
const field = '(?:ip4|ip6)\\.(?:src|dst)|arp\\.spa|nd\\.target'
const terms = [
  /^(inport|outport) == "[\w.-]+"$/,
  /^eth\.(src|dst) == ([\da-f]{2}:){5}[\da-f]{2}$/,
  /^(ip|ip4|ip6|tcp|udp|icmp4|icmp6|arp|nd_ra|nd_na|nd_ns)$/,
  /^\((nd \|\| nd_ra|nd \|\| nd_rs)\)$/,
  /^ip\.proto == (50|47)$/,
  /^icmp6\.type == 143$/,
  /^(tcp|udp)\.(src|dst) (==|>=|<=) \d+$/,
  new RegExp(`^(?:${field}) == (?:${address}|\\{${address}(?:, ${address})*\\})$`),
]

function checkGrammar({ match }: Acl): void {
  assert.doesNotMatch(match, /!|ct\.|\$/)
  const parts = match.split(' && ')
  for (const part of parts)
    assert.ok(
      terms.some((form) => form.test(part)),
      `${part} is no known form`,
    )
  const addresses = parts.filter((part) => new RegExp(`^(?:${field}) `).test(part))
  assert.ok(addresses.length <= 1, `${match} has several fields of addresses`)
}

describe('packet filters as rows of OVN', () => {
  test('are of the forms that OVN does not multiply', () => {
    fc.assert(fc.property(filter, (one) => filterAcls(one, port).forEach(checkGrammar)))
    const guarded = {
      port,
      mac: '96:00:00:00:00:07',
      ipv4: ['198.18.0.7/32'],
      router: ['fe80::1'],
      only: '10:66:6a:00:00:01',
      hidden: ['172.31.128.0/17', 'fd00::/64'],
    }
    const own = [...guardAcls({ ...guarded, ipv6: ['2001:db8::/64'] }), ...internalAcls(port, '172.31.16.7')]
    for (const acl of own) checkGrammar(acl)
  })

  test('let through what a rule accepts, and drop the rest', () => {
    const packet = fc.record({
      protocol: fc.constantFrom<FilterRule['protocol']>('tcp', 'udp', 'icmp', 'esp', 'gre'),
      // Ports of DHCP pass whatever a filter says.
      port: fc.integer({ min: 600, max: 65_535 }),
      peer: fc.oneof(ipv4, ipv6, near).map((network) => addressAt(network, 0n)),
      towards: fc.constantFrom<Direction>('inbound', 'outbound'),
      pick: fc.nat(),
    })
    fc.assert(
      fc.property(filter, packet, (one, { pick, towards, ...random }) => {
        const rules = one[towards].accept
        const aimed = rules.length > 0 && pick % 2 === 0 ? aim(rules[pick % rules.length]!, random) : random
        assert.equal(passes(filterAcls(one, port), towards, aimed), expected(one[towards], aimed))
      }),
      { numRuns: 500 },
    )
  })

  test('say everything once', () => {
    fc.assert(
      fc.property(fc.array(ipv4), (list) => {
        const kept = withoutContained(list)
        const inside = (one: string, of: readonly string[]) => of.some((other) => one !== other && contains(other, one))
        assert.deepEqual(
          kept.filter((one) => inside(one, kept)),
          [],
        )
        assert.deepEqual(
          list.filter((one) => !kept.includes(one) && !inside(one, kept)),
          [],
        )
      }),
    )
  })

  test('let nothing pass before they are known, and everything when nothing is to be dropped', () => {
    assert.deepEqual(filterAcls({ inbound: open, outbound: open }, port), [])
    for (const towards of ['inbound', 'outbound'] as const) {
      const packet = { protocol: 'tcp', port: 22, peer: '198.18.0.1' } as const
      assert.equal(passes(filterAcls(closedFilter, port), towards, packet), false)
    }
  })

  test('refuse names that OVN would read as something else', () => {
    assert.throws(() => filterAcls(closedFilter, 'a" || ip || inport == "b'), RangeError)
  })
})

type Direction = keyof Pick<FilterState, 'inbound' | 'outbound'>
interface Packet {
  readonly protocol: FilterRule['protocol']
  readonly port: number
  readonly peer: string
}

const open: FilterDirection = { otherwise: 'accept', accept: [] }

function canonical(text: string): string {
  const parsed = parseCidr(text, 'drop')
  assert.ok(parsed.ok)
  return parsed.cidr
}

const contains = (outer: string, inner: string) =>
  Number(outer.split('/')[1]) <= Number(inner.split('/')[1]) && cidrContains(outer, inner.split('/')[0]!)

/** A packet that the rule has reason to accept. */
function aim({ protocol, ports: range, networks: own }: FilterRule, packet: Packet): Packet {
  return { protocol, port: range?.first ?? packet.port, peer: addressAt(own[packet.port % own.length]!, 0n) }
}

/** What the rules say, in their own terms. */
function expected({ otherwise, accept }: FilterDirection, { protocol, port: at, peer }: Packet): boolean {
  if (otherwise === 'accept') return true
  return accept.some(
    (one) =>
      one.protocol === protocol &&
      (!one.ports || protocol === 'icmp' || (at >= one.ports.first && at <= one.ports.last)) &&
      one.networks.some((network) => cidrContains(network, peer)),
  )
}

/** What OVN does with the first packet of a connection: the fitting row of the highest priority decides. */
function passes(acls: readonly Acl[], towards: Direction, packet: Packet): boolean {
  const direction = towards === 'inbound' ? 'to-lport' : 'from-lport'
  const fitting = acls.filter((acl) => acl.direction === direction && fits(acl.match, packet))
  fitting.sort((a, b) => b.priority - a.priority)
  return fitting[0]?.action !== 'drop'
}

function fits(match: string, packet: Packet): boolean {
  return match.split(' && ').every((term) => holds(term, packet))
}

const numbers = { esp: '50', gre: '47', tcp: '6', udp: '17', icmp: '1' }

function holds(term: string, { protocol, port: at, peer }: Packet): boolean {
  const version = peer.includes(':') ? 6 : 4
  const [left = '', operator, ...rest] = term.split(' ')
  const right = rest.join(' ')
  if (left === 'inport' || left === 'outport') return right === `"${port}"`
  if (left === 'ip') return true
  if (left === 'ip4' || left === 'ip6') return left === `ip${version}`
  if (left === 'icmp4' || left === 'icmp6') return protocol === 'icmp' && left === `icmp${version}`
  if (left === 'tcp' || left === 'udp') return protocol === left
  if (left === 'ip.proto') return right === numbers[protocol]
  if (/^(tcp|udp)\.dst$/.test(left)) {
    if (!left.startsWith(protocol)) return false
    return operator === '==' ? at === Number(right) : operator === '>=' ? at >= Number(right) : at <= Number(right)
  }
  // The source ports of connections are none of DHCP's.
  if (/^(tcp|udp)\.src$/.test(left) || left.startsWith('(nd')) return false
  const listed = right.replace(/[{}]/g, '').split(', ')
  return listed.some((network) =>
    cidrContains(network.includes('/') ? network : `${network}/${version === 4 ? 32 : 128}`, peer),
  )
}
