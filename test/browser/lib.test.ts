/** What pages of the console compute by themselves, against what the server says. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { ApiFailure, type FailureCode } from '../../console/api/failure.ts'
import { toCurl } from '../../console/commands/curl.ts'
import { masked } from '../../console/commands/mask.ts'
import { providerBlock } from '../../console/commands/terraform/provider.ts'
import { lifetimeOf } from '../../console/families/certificates/lifetime.ts'
import { hourlyLines, monthlyLines, shareLine, sizeLine, totalOf } from '../../console/families/pricing/lines.ts'
import { compare } from '../../console/families/zones/import-preview.ts'
import { exportedEndpoints, originForPrograms, pointed } from '../../console/lib/endpoint.ts'
import { fieldOf, problemsOf, type RequestSchema } from '../../console/lib/form-model.ts'
import { expandNames, nextName } from '../../console/lib/names.ts'
import { joinRdata, rdataFields, splitRdata } from '../../console/lib/rdata.ts'
import { commands as grantedCommands, families as offeredFamilies } from '../../console/pages/access/grantable.ts'
import { csvOf } from '../../console/pages/shared/csv.ts'
import { builtIn } from '../../src/catalogue/built-in.ts'
import { openCatalogue } from '../../src/catalogue/catalogue.ts'
import { pricingToWire } from '../../src/families/pricing/view.ts'
import { familyOf } from '../../src/kernel/access/token-scope.ts'
import { commands, grantedFamilies } from '../../src/management/scopes.ts'
import { allEndpoints, ownEndpoints } from '../../src/pages/openapi.ts'
import { isLess, percentOf, rounded, sum, times } from '../../src/protocols/net/decimal.ts'
import { nameOf } from '../../src/protocols/net/dns/names.ts'
import { parseRdata, recordTypeNames } from '../../src/protocols/net/dns/rdata.ts'
import { bent, strange } from '../clients/kit/bent.ts'
import { accepted } from '../clients/kit/bodies.ts'

it('scopes of tokens are made of all families and commands that the server knows', () => {
  const all = [...allEndpoints(), ...ownEndpoints()].filter(({ endpoint }) => !endpoint.removedBy)
  const present = new Set(all.map(({ endpoint }) => familyOf(endpoint)))
  assert.deepEqual(
    offeredFamilies,
    grantedFamilies.filter((family) => present.has(family)),
  )
  assert.deepEqual([...grantedCommands].sort(), commands)
})

describe('decimals', () => {
  const decimal = fc
    .tuple(fc.nat(99_999), fc.stringMatching(/^\d{0,16}$/))
    .map(([whole, part]) => (part ? `${whole}.${part}` : `${whole}`))
  /** In units of 10^-24. */
  const units = (text: string) => {
    const [whole = '', part = ''] = text.split('.')
    return BigInt(whole + part.padEnd(24, '0'))
  }

  it('are added and multiplied without losing a digit', () => {
    fc.assert(
      fc.property(fc.array(decimal), fc.nat(100), (all, count) => {
        assert.equal(
          units(sum(all)),
          all.reduce((total, one) => total + units(one), 0n),
        )
        for (const one of all) {
          assert.equal(isLess(one, all[0]!), units(one) < units(all[0]!))
          assert.equal(units(times(one, count)), units(one) * BigInt(count))
          assert.equal(units(percentOf(one, '20.00')) * 5n, units(one))
        }
      }),
    )
  })

  it('are rounded half up for people', () => {
    const examples = [
      ['5.4949', 2, '5.49'],
      ['5.495', 2, '5.50'],
      ['3', 2, '3.00'],
      ['0.9999', 2, '1.00'],
    ] as const
    for (const [text, digits, expected] of examples) assert.equal(rounded(text, digits), expected)
  })
})

describe('estimates', () => {
  const prices = pricingToWire(openCatalogue(builtIn), Date.now())

  it('of one thing are what the price list says', () => {
    for (const { name, prices: all } of prices.server_types) {
      for (const { location, price_hourly: hourly, price_monthly: monthly } of all) {
        const found = totalOf(hourlyLines('server', { type: name, location }, prices.server_types))
        assert.deepEqual(found, { hourly: hourly.net, monthly: monthly.net })
      }
    }
    const [{ prices: all }] = prices.floating_ips as [(typeof prices.floating_ips)[number]]
    const [{ location, price_monthly: monthly }] = all as [(typeof all)[number]]
    const [line] = monthlyLines('floating_ip', { type: 'ipv4', location }, prices.floating_ips)
    assert.deepEqual([line!.hourly, line!.monthly], [null, monthly.net])
  })

  it('add up, with shares, sizes and what is billed by month only', () => {
    const [server] = hourlyLines('server', { type: 'cpx22', location: 'hel1', count: 3 }, prices.server_types)
    const backups = shareLine('backups', server!, prices.server_backup.percentage)
    assert.equal(rounded(backups.monthly, 10), rounded(percentOf(server!.monthly, '20'), 10))
    const volume = sizeLine('volume', 10, prices.volume)
    assert.deepEqual([volume.hourly, rounded(volume.monthly, 10)], [null, '0.5720000000'])
    const snapshot = sizeLine('snapshot', 2.3, prices.image)
    assert.equal(rounded(snapshot.monthly, 5), '0.03289')
    assert.deepEqual(hourlyLines('server', { type: 'none', location: 'hel1' }, prices.server_types), [])
    const { hourly, monthly } = totalOf([server!, backups, volume, snapshot])
    assert.equal(hourly, sum([server!.hourly!, backups.hourly!]))
    assert.equal(monthly, sum([server!, backups, volume, snapshot].map((line) => line.monthly)))
  })
})

describe('names', () => {
  const patterns = {
    web: ['web'],
    'web-{1..3}': ['web-1', 'web-2', 'web-3'],
    '{08..10}.a': ['08.a', '09.a', '10.a'],
    'a{1..2}b{1..2}': ['a1b1', 'a1b2', 'a2b1', 'a2b2'],
    '{1..x}': ['{1..x}'],
  }
  for (const [pattern, names] of Object.entries(patterns)) {
    it(`of ${pattern}`, () => assert.deepEqual(expandNames(pattern), { ok: true, names }))
  }

  it('are not too many', () => {
    assert.deepEqual(expandNames('{1..51}'), { ok: false, problem: 'too many' })
    assert.deepEqual(expandNames('{1..50}{1..2}'), { ok: false, problem: 'too many' })
    assert.deepEqual(expandNames('{3..1}'), { ok: false, problem: 'backwards' })
  })

  it('are proposed past those that are taken', () => {
    assert.equal(nextName([], 'server-1'), 'server-1')
    assert.equal(nextName(['db', 'web-3'], 'x'), 'web-4')
    assert.equal(nextName(['web-9', 'web-3'], 'x'), 'web-10')
    assert.equal(nextName(['web-009'], 'x'), 'web-010')
    assert.equal(nextName(['web'], 'x'), 'web-2')
    const name = fc.stringMatching(/^[a-z]{1,3}(-?\d{1,3})?$/)
    fc.assert(fc.property(fc.array(name), (names) => assert.ok(!names.includes(nextName(names, 'fallback-1')))))
  })
})

describe('values of records', () => {
  const origin = nameOf('example.com')

  it('have fields whose examples make valid values', () => {
    for (const type of recordTypeNames) {
      const value = joinRdata(
        type,
        rdataFields[type].map(({ example }) => example),
      )
      assert.ok(parseRdata(type, value, origin).ok, `${type} ${value}`)
      assert.equal(joinRdata(type, splitRdata(type, value)!), value)
    }
  })

  it('keep any text, however long', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
        const read = parseRdata('TXT', joinRdata('TXT', [text]), origin)
        assert.ok(read.ok)
        const bytes: number[] = []
        for (let at = 0; at < read.bytes.length; at += read.bytes[at]! + 1) {
          bytes.push(...read.bytes.subarray(at + 1, at + 1 + read.bytes[at]!))
        }
        assert.equal(Buffer.from(bytes).toString(), text)
        assert.deepEqual(splitRdata('TXT', read.text), [text])
      }),
    )
  })
})

describe('the time of certificates', () => {
  const days = (count: number) => new Date(count * 86_400_000).toISOString()
  const managed = {
    type: 'managed',
    not_valid_before: days(0),
    not_valid_after: days(90),
    fingerprint: '00:00:00:00:00:00',
    status: { issuance: 'completed', renewal: 'scheduled' },
  } as const

  it('is told with the renewal that the server plans', () => {
    const day = 86_400_000
    assert.deepEqual(lifetimeOf(managed), { from: 0, until: 90 * day, renewAt: 60 * day })
  })

  it('has no renewal where there is none, and needs a certificate', () => {
    const plans = [{ type: 'uploaded' as const }, { status: { renewal: 'unavailable' } }, { fingerprint: null }]
    for (const other of plans) assert.equal(lifetimeOf({ ...managed, ...other })?.renewAt, undefined)
    assert.equal(lifetimeOf({ ...managed, not_valid_after: null }), undefined)
  })
})

describe('forms from schemas', () => {
  const bodies = [...allEndpoints(), ...ownEndpoints()].flatMap(({ family, key, endpoint }) => {
    const schema = endpoint.body
    return schema
      ? [{ name: `${family}_${key}`, schema, plain: JSON.parse(JSON.stringify(schema)) as RequestSchema }]
      : []
  })
  for (const { name, schema, plain } of bodies) {
    it(`of ${name} take what the API takes`, () => {
      const field = fieldOf(plain)
      const check = Compile(schema)
      const value = accepted(plain, '', {})
      fc.assert(
        fc.property(value, fc.nat(999), strange, fc.boolean(), (good, at, other, isBent) => {
          const given = JSON.parse(JSON.stringify(isBent ? bent(good, at, other) : good))
          const problems = problemsOf(field, given)
          assert.equal(problems.length === 0, check.Check(given), JSON.stringify({ given, problems }))
        }),
        { numRuns: 60 },
      )
    })
  }
})

describe('resources as CSV', () => {
  it('have a column for each field of any of them, with the names of other resources', () => {
    const type = { id: 1, name: 'cx23', prices: [] }
    const rows = [
      { id: 1, name: 'a', server_type: type, labels: { role: 'web', plain: '' }, net: { ip: '1.2.3.4', of: null } },
      { id: 2, name: '=b, "c"', server_type: type, labels: {}, volumes: [3, 4], placed: { id: 7 } },
    ]
    assert.deepEqual(csvOf(rows).split('\r\n'), [
      'id,name,server_type,labels,net.ip,net.of,volumes,placed',
      '1,a,cx23,"role=web,plain",1.2.3.4,,,',
      `2,"'=b, ""c""",cx23,,,,3 4,7`,
      '',
    ])
  })
})

describe('the preview of an import', () => {
  const records = (...values: string[]) => values.map((value) => ({ value, comment: '' }))
  const zone = {
    name: 'example.com',
    ttl: 3600,
    nameservers: ['ns1.wolke.example.'],
    rrsets: [
      { name: '@', type: 'SOA', ttl: null, records: records('ns1.wolke.example. mail. 1 2 3 4 5') },
      { name: '@', type: 'NS', ttl: null, records: records('ns1.wolke.example.') },
      { name: 'www', type: 'A', ttl: null, records: records('192.0.2.1') },
      { name: 'own', type: 'A', ttl: 300, records: records('192.0.2.2') },
    ] as const,
  }

  it('of a merge names the sets that get a TTL of their own to keep the one they have', () => {
    const { result, pinned, zonefile } = compare(zone, '$TTL 600\nnew A 192.0.2.3\n', 'merge')
    assert.ok(result.ok)
    assert.deepEqual(pinned, ['@/SOA', '@/NS', 'www/A'])
    assert.match(zonefile, /www\tIN\t3600\tA/)
    assert.deepEqual(compare(zone, 'new A 192.0.2.3\n', 'merge').pinned, [])
  })

  it('of a merge says of the file only what it has itself', () => {
    const { result, replaced } = compare(zone, '@ NS ns.elsewhere.example.\n', 'merge')
    assert.ok(result.ok)
    assert.deepEqual(replaced, ['NS'])
    assert.deepEqual(compare(zone, '@ SOA a. b. 1 2 3 4 5\n@ NS ns.elsewhere.example.\n', 'replace').replaced, [
      'SOA',
      'NS',
    ])
  })

  it('tells what kind of mistake refuses a file', () => {
    const kinds = {
      'www A 192.0.2.1\n': 'soa',
      'www A nonsense\n': 'value',
      'www B 192.0.2.1\n': 'type',
      '$TTL 1\n': 'ttl',
      'www A ( 192.0.2.1\n': 'parenthesis',
      'www TXT "a\n': 'quote',
      '$ORIGIN elsewhere.\n': 'origin',
      'a CNAME b\na A 192.0.2.1\n': 'together',
    }
    for (const [text, kind] of Object.entries(kinds)) {
      const { result } = compare(zone, text, 'replace')
      assert.equal(result.ok ? 'taken' : result.kind, kind, text)
    }
  })
})

describe('failures', () => {
  const failed = (code: FailureCode, isChange: boolean) => new ApiFailure({ status: 0, code, message: '', isChange })

  it('of changes whose answer did not come say that nobody knows whether they were made', () => {
    for (const code of ['unreachable', 'unreadable', 'timeout'] as const) {
      assert.equal(failed(code, true).isUncertain, true)
      assert.equal(failed(code, false).isUncertain, false)
    }
    for (const code of ['conflict', 'invalid_input', 'unavailable'] as const)
      assert.equal(failed(code, true).isUncertain, false)
  })
})

describe('requests that are shown', () => {
  it('go to an address that programs find, and to that of the page where its name is known', () => {
    const shown = (address: string) => originForPrograms(new URL(address))
    assert.equal(shown('http://wolke-1a2b.localhost:8080/console'), 'http://127.0.0.1:8080')
    assert.equal(shown('http://wolke-1a2b.localhost/console'), 'http://127.0.0.1')
    for (const origin of ['http://localhost:8080', 'https://wolke.localhost:8443', 'https://cloud.example.com'])
      assert.equal(shown(`${origin}/console`), origin)
  })

  it('lead to this API alone, whatever the name of its host is made of', () => {
    const api = `http://$(id).${'$'}{x}.example/v1`
    assert.equal(
      exportedEndpoints(api),
      `export HCLOUD_ENDPOINT='${api}' HETZNER_ENDPOINT='${api.replace('/v1', '/storage/v1')}'`,
    )
    const escaped = `http://$(id).${'$$'}{x}.example/v1`
    const lines = [
      'provider "hcloud" {',
      `  endpoint         = "${escaped}"`,
      `  endpoint_hetzner = "${escaped.replace('/v1', '/storage/v1')}"`,
      '}',
    ]
    assert.equal(providerBlock(api), lines.join('\n'))
    const plain = 'http://127.0.0.1:8080/v1'
    const exported = `export HCLOUD_ENDPOINT=${plain} HETZNER_ENDPOINT=http://127.0.0.1:8080/storage/v1`
    assert.equal(pointed('hcloud server list', plain), `${exported}\nhcloud server list`)
    assert.equal(pointed('wolke mail list', plain), 'wolke mail list')
  })

  it('name the variable of the token that they need', () => {
    const row = { method: 'DELETE', path: '/projects/{project_id}/tokens/{token_id}' }
    const asked = { operation: 'management_revokeToken', params: { project_id: 1, token_id: 2 } }
    const rendered = toCurl(asked, row, { endpoint: 'http://127.0.0.1/wolke/v1', token: 'MANAGEMENT_TOKEN' })
    assert.ok('text' in rendered)
    assert.match(rendered.text, /"Authorization: Bearer \$MANAGEMENT_TOKEN"/)
  })

  it('have the names of fields in the place of secrets, at any depth', () => {
    const body = {
      name: 'www',
      private_key: '-----BEGIN PRIVATE KEY-----',
      primary_nameservers: [{ address: '192.0.2.1', tsig_key: 'c2VjcmV0' }],
      password: '',
    }
    assert.deepEqual(masked({ operation: 'certificates_create', body }).body, {
      name: 'www',
      private_key: '<private_key>',
      primary_nameservers: [{ address: '192.0.2.1', tsig_key: '<tsig_key>' }],
      password: '',
    })
  })

  it('have no secret that a request of the API can have', () => {
    const bodies = JSON.stringify([...allEndpoints(), ...ownEndpoints()].map(({ endpoint }) => endpoint.body ?? {}))
    const names = [...bodies.matchAll(/"(\w*(?:private_key|password|tsig_key|secret)\w*)":\{/g)].map(
      ([, name]) => name!,
    )
    assert.ok(names.includes('private_key') && names.includes('tsig_key') && names.includes('password'))
    for (const name of names)
      assert.deepEqual(masked({ operation: 'any', body: { [name]: 'a' } }).body, { [name]: `<${name}>` }, name)
  })
})
