import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type GivenRule, maxEffectiveRules, parsePorts, parseRules, type Rule, sameRules, toFilter } from './domain.ts'

const inbound: GivenRule = { direction: 'in', protocol: 'tcp', port: '80', source_ips: ['0.0.0.0/0'] }
const outbound: GivenRule = { direction: 'out', protocol: 'tcp', port: '80', destination_ips: ['0.0.0.0/0'] }

function parsed(...given: GivenRule[]): readonly Rule[] {
  const result = parseRules(given)
  assert.ok(result.ok, JSON.stringify(result))
  return result.rules
}

/** The fields that are refused. */
function refused(...given: GivenRule[]): string[] {
  const result = parseRules(given)
  return result.ok ? [] : result.problems.map((problem) => problem.field)
}

/** `count` networks that all differ. */
const networks = (count: number) => Array.from({ length: count }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`)

describe('firewall rules', () => {
  test('a rule is kept as it was given, with null and [] for what it does not say', () => {
    assert.deepEqual(parsed(inbound, outbound), [
      {
        direction: 'in',
        protocol: 'tcp',
        port: '80',
        sourceIps: ['0.0.0.0/0'],
        destinationIps: [],
        description: null,
      },
      {
        direction: 'out',
        protocol: 'tcp',
        port: '80',
        sourceIps: [],
        destinationIps: ['0.0.0.0/0'],
        description: null,
      },
    ])
  })

  for (const protocol of ['tcp', 'udp'] as const) {
    test(`${protocol} needs a port`, () => {
      assert.equal(parsed({ ...inbound, protocol })[0]?.port, '80')
      assert.deepEqual(refused({ ...inbound, protocol, port: null }), ['rules[0].port'])
      const { port: _, ...without } = inbound
      assert.deepEqual(refused({ ...without, protocol }), ['rules[0].port'])
    })
  }

  for (const protocol of ['icmp', 'esp', 'gre'] as const) {
    test(`${protocol} must not have a port`, () => {
      const { port: _, ...without } = inbound
      assert.equal(parsed({ ...without, protocol })[0]?.port, null)
      assert.equal(parsed({ ...without, protocol, port: null })[0]?.port, null)
      assert.equal(parsed({ ...without, protocol, port: '' })[0]?.port, null)
      for (const port of ['80', 'any', ' '])
        assert.deepEqual(refused({ ...without, protocol, port }), ['rules[0].port'])
    })
  }

  test('a port is a number, a range or the word any, and is never rewritten', () => {
    for (const port of ['1', '80', '65535', '1-65535', '1024-5000', '80-80', 'any']) {
      assert.equal(parsed({ ...inbound, port })[0]?.port, port)
    }
    const numbers = ['0', '65536', '99999', '080', '-1', '+80', '8e1', '0x50', '٨٠', ' 80', '80 ', '80,443']
    const ranges = ['1-', '-80', '5000-1024', '1-65536', '0-80', '80-080', '1 - 2', '1-2-3']
    for (const port of [...numbers, ...ranges, '', 'Any', 'ANY', 'all', '*']) {
      assert.deepEqual(refused({ ...inbound, port }), ['rules[0].port'], JSON.stringify(port))
    }
  })

  test('ports are read as the first and the last of a range', () => {
    assert.deepEqual(parsePorts('22'), { first: 22, last: 22 })
    assert.deepEqual(parsePorts('1024-5000'), { first: 1024, last: 5000 })
    assert.deepEqual(parsePorts('any'), undefined)
  })

  test('an inbound rule has sources only, an outbound one destinations only, and at least one', () => {
    assert.deepEqual(refused({ ...inbound, source_ips: [] }), ['rules[0].source_ips'])
    assert.deepEqual(refused({ ...inbound, source_ips: null }), ['rules[0].source_ips'])
    assert.deepEqual(refused({ ...inbound, destination_ips: ['10.0.0.0/8'] }), ['rules[0].destination_ips'])
    assert.deepEqual(refused({ ...outbound, destination_ips: [] }), ['rules[0].destination_ips'])
    assert.deepEqual(refused({ ...outbound, source_ips: ['10.0.0.0/8'] }), ['rules[0].source_ips'])
    const { source_ips: _, ...sourceless } = inbound
    assert.deepEqual(refused(sourceless), ['rules[0].source_ips'])
    for (const nothing of [[], null]) {
      assert.deepEqual(refused({ ...inbound, destination_ips: nothing }), [])
      assert.deepEqual(refused({ ...outbound, source_ips: nothing }), [])
    }
  })

  test('a network needs its mask and must not have host bits', () => {
    for (const network of ['0.0.0.0/0', '10.0.0.0/8', '192.0.2.1/32', '::/0', '2001:db8::/32', '2001:db8::1/128']) {
      assert.deepEqual(parsed({ ...inbound, source_ips: [network] })[0]?.sourceIps, [network])
    }
    const wrong = [
      '192.0.2.1',
      '2001:db8::1',
      '192.0.2.1/24',
      '10.0.0.1/8',
      '0.0.0.1/0',
      '2001:db8::1/64',
      '192.0.2.0/33',
      '::/129',
      '192.0.2.0/',
      '192.0.2/24',
      '192.0.2.0/024',
      '192.0.2.0/255.255.255.0',
      'fe80::1%eth0/128',
      ' 10.0.0.0/8',
      'localhost/32',
      'any',
      '',
    ]
    for (const network of wrong) {
      assert.deepEqual(
        refused({ ...inbound, source_ips: ['10.0.0.0/8', network] }),
        ['rules[0].source_ips[1]'],
        JSON.stringify(network),
      )
      assert.deepEqual(refused({ ...outbound, destination_ips: [network] }), ['rules[0].destination_ips[0]'])
    }
  })

  test('IPv6 networks come out lower case, compressed and without leading zeros', () => {
    const forms = [
      ['2a02:1234:10:0100::/64', '2a02:1234:10:100::/64'],
      ['2001:DB8:0:0:0:0:0:0/32', '2001:db8::/32'],
      ['0:0:0:0:0:0:0:0/0', '::/0'],
      ['ff21:1eac:9a3b:ee58:05ca:990c:8bc9:c03b/128', 'ff21:1eac:9a3b:ee58:5ca:990c:8bc9:c03b/128'],
      ['::ffff:192.0.2.1/128', '::ffff:c000:201/128'],
    ] as const
    for (const [given, canonical] of forms) {
      assert.deepEqual(parsed({ ...inbound, source_ips: [given] })[0]?.sourceIps, [canonical])
    }
    assert.ok(
      sameRules(
        parsed({ ...inbound, source_ips: ['2A02:1234:10:0100::/64'] }),
        parsed({ ...inbound, source_ips: ['2a02:1234:10:100:0::/64'] }),
      ),
    )
  })

  test('rules keep their order and may repeat', () => {
    const rules = ['443', '80', '443', '22'].map((port) => ({ ...inbound, port }))
    assert.deepEqual(
      parsed(...rules).map((rule) => rule.port),
      ['443', '80', '443', '22'],
    )
    assert.equal(sameRules(parsed(...rules), parsed(...rules)), true)
    assert.equal(sameRules(parsed(...rules), parsed(...rules.toReversed())), false)
    assert.equal(sameRules(parsed(inbound), parsed({ ...inbound, description: 'web' })), false)
    assert.equal(sameRules(parsed(), parsed(inbound)), false)
  })

  test('each network of each rule counts as one of at most 500 effective rules', () => {
    const hundred = networks(100)
    const full: GivenRule[] = [
      ...Array.from({ length: 4 }, () => ({ ...inbound, source_ips: hundred })),
      { ...outbound, destination_ips: hundred },
    ]
    assert.equal(full.length * 100, maxEffectiveRules)
    assert.equal(parsed(...full).length, 5)
    assert.deepEqual(refused(...full, inbound), ['rules'])
    assert.deepEqual(refused(...full, outbound), ['rules'])
  })

  test('every problem of every rule is told at once', () => {
    const fields = refused({ ...inbound, port: '0', source_ips: ['10.0.0.1/8'] }, outbound, {
      ...outbound,
      protocol: 'gre',
      destination_ips: [],
    })
    assert.deepEqual(fields, ['rules[0].port', 'rules[0].source_ips[0]', 'rules[2].port', 'rules[2].destination_ips'])
  })
})

describe('the packet filter of a server', () => {
  const filterOf = (...firewalls: GivenRule[][]) => toFilter(firewalls.map((rules) => ({ rules: parsed(...rules) })))
  const web = { protocol: 'tcp', ports: { first: 80, last: 80 }, networks: ['0.0.0.0/0'] }

  test('without a firewall everything may pass', () => {
    assert.deepEqual(filterOf(), {
      inbound: { otherwise: 'accept', accept: [] },
      outbound: { otherwise: 'accept', accept: [] },
    })
  })

  test('with a firewall without rules nothing may come in and everything may go out', () => {
    assert.deepEqual(filterOf([]), {
      inbound: { otherwise: 'drop', accept: [] },
      outbound: { otherwise: 'accept', accept: [] },
    })
  })

  test('inbound rules accept what they name and leave the way out open', () => {
    assert.deepEqual(filterOf([inbound]), {
      inbound: { otherwise: 'drop', accept: [web] },
      outbound: { otherwise: 'accept', accept: [] },
    })
  })

  test('the first outbound rule closes the way out for everything else', () => {
    assert.deepEqual(filterOf([outbound]), {
      inbound: { otherwise: 'drop', accept: [] },
      outbound: { otherwise: 'drop', accept: [web] },
    })
  })

  test('several firewalls add up, whichever of them has the outbound rule', () => {
    const ssh = { ...inbound, port: '22' }
    assert.deepEqual(filterOf([ssh], [], [inbound, outbound]), {
      inbound: { otherwise: 'drop', accept: [{ ...web, ports: { first: 22, last: 22 } }, web] },
      outbound: { otherwise: 'drop', accept: [web] },
    })
  })

  test('ports become numbers; any port and no port become null', () => {
    const { port: _, ...portless } = inbound
    const filter = filterOf([
      { ...inbound, port: '1024-5000' },
      { ...inbound, port: 'any' },
      { ...portless, protocol: 'esp' },
    ])
    assert.deepEqual(
      filter.inbound.accept.map(({ protocol, ports }) => [protocol, ports]),
      [
        ['tcp', { first: 1024, last: 5000 }],
        ['tcp', null],
        ['esp', null],
      ],
    )
  })

  test('no text of a user is in it', () => {
    const text = JSON.stringify(filterOf([{ ...inbound, description: '"\n}\nflush ruleset' }]))
    assert.equal(text.includes('flush'), false)
  })
})
