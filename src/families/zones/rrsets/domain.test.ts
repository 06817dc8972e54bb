import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf, parseName, printName } from '../../../protocols/net/dns/names.ts'
import { parseRdata, printRdata, recordTypeNames } from '../../../protocols/net/dns/rdata.ts'
import { nextSerial, parseNameserver, zoneNameProblem } from '../domain.ts'
import { readZonefile } from '../zonefiles/domain.ts'
import { recordNameProblem } from './domain.ts'
import { Values } from './values.ts'

const origin = nameOf('example.com')

/** By type: values with the form in which they are kept, and values that are refused. */
const values: Readonly<Record<string, { good: readonly (readonly [string, string])[]; bad: readonly string[] }>> = {
  A: {
    good: [['192.0.2.1', '192.0.2.1']],
    bad: ['192.0.2.01', '192.0.2', '2001:db8::1', '192.0.2.1 192.0.2.2', 'www'],
  },
  AAAA: { good: [['2001:DB8:0::1', '2001:db8::1']], bad: ['192.0.2.1', '2001:db8::g', '::1%eth0'] },
  CAA: {
    good: [
      ['0 issue "ca.example; a=b"', '0 issue "ca.example; a=b"'],
      ['128 iodef mailto:a@b.example', '128 iodef "mailto:a@b.example"'],
    ],
    bad: ['0 issue', '256 issue "a"', '0 is-sue "a"', 'issue "a"'],
  },
  CNAME: {
    good: [
      ['www', 'www'],
      ['@', '@'],
      ['Other.example.net.', 'Other.example.net.'],
    ],
    bad: ['a..b', '.a', `${'a'.repeat(64)}.com.`, 'münchen.de.', 'a b', `${'a.'.repeat(130)}`],
  },
  DS: {
    good: [['60485  5 1 2BB183AF 5F22', '60485 5 1 2BB183AF5F22']],
    bad: ['60485 5 1', '60485 5 1 abc', '65536 5 1 ab'],
  },
  HINFO: { good: [['PC "a b"', '"PC" "a b"']], bad: ['PC', 'a b c', `"${'a'.repeat(256)}" b`] },
  HTTPS: {
    good: [
      ['1 . alpn="h2,h3" port=8443', '1 . alpn="h2,h3" port=8443'],
      ['0 pool.example.net.', '0 pool.example.net.'],
      ['1 . mandatory=alpn alpn=h2 no-default-alpn', '1 . mandatory=alpn alpn=h2 no-default-alpn'],
      [
        '2 www ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1',
        '2 www ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1',
      ],
      ['1 . ech=AEj+DQ== key667="a b"', '1 . ech=AEj+DQ== key667="a b"'],
      ['1 . key1="\\002h2" key3="\\001\\187"', '1 . key1="\\002h2" key3="\\001\\187"'],
    ],
    bad: [
      '1',
      '1 . key1=h2',
      '1 . key3=443',
      '1 . key4=abc',
      '1 . key0="\\000\\000"',
      '1 . key2=a',
      '0 . port=1',
      '1 . port=65536',
      '1 . port=1 port=2',
      '1 . mandatory=port',
      '1 . mandatory=mandatory',
      '1 . no-default-alpn',
      '1 . alpn=',
      '1 . ipv4hint=::1',
      '1 . ech=?',
      '1 . key65535=a',
      '1 . unheard=of',
    ],
  },
  MX: {
    good: [
      ['010  mail', '10 mail'],
      ['0 .', '0 .'],
    ],
    bad: ['mail', '65536 mail', '-1 mail', '10 mail extra'],
  },
  NS: { good: [['ns1.example.net.', 'ns1.example.net.']], bad: ['', 'ns1 ns2'] },
  PTR: { good: [['host', 'host']], bad: ['host host'] },
  RP: { good: [['first\\.last.example.com. .', 'first\\.last.example.com. .']], bad: ['one'] },
  SOA: {
    good: [['ns1 hostmaster 5 1d 3h 1w 600', 'ns1 hostmaster 5 86400 10800 604800 600']],
    bad: ['ns1 hostmaster 5 1 2 3', 'ns1 hostmaster 4294967296 1 2 3 4'],
  },
  SRV: { good: [['1 2 443 www', '1 2 443 www']], bad: ['1 2 www', '1 2 65536 www'] },
  SVCB: {
    good: [['16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"', '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"']],
    bad: ['x .'],
  },
  TLSA: { good: [['3 1 1 0C72AC70', '3 1 1 0C72AC70']], bad: ['3 1 1', '3 1 1 0', '3 1 256 00'] },
  TXT: {
    good: [
      ['"a b"   "c\\"d"', '"a b" "c\\"d"'],
      ['"grüße"', '"grüße"'],
      ['""', '""'],
    ],
    bad: ['unquoted', `"${'a'.repeat(256)}"`, '"open', '"a" b', '"line\nbreak"', '"\\300"'],
  },
}

test('each type of record has values that are accepted and settled, and others that are refused', () => {
  assert.deepEqual(Object.keys(values).sort(), [...recordTypeNames].sort())
  for (const [type, { good, bad }] of Object.entries(values)) {
    for (const [value, kept] of good) {
      const read = parseRdata(type, value, origin)
      assert.ok(read.ok, `${type} ${value}`)
      assert.equal(read.text, kept)
    }
    for (const value of bad) assert.equal(parseRdata(type, value, origin).ok, false, `${type} ${value}`)
  }
})

test('what was read is the same after it was written as bytes, as text, and read again', () => {
  for (const [type, { good }] of Object.entries(values)) {
    for (const [value] of good) {
      const read = parseRdata(type, value, origin)
      assert.ok(read.ok)
      const printed = printRdata(type, read.bytes)
      assert.ok(printed !== undefined, `${type} ${value}`)
      const again = parseRdata(type, printed, nameOf('elsewhere.example'))
      assert.ok(again.ok, printed)
      assert.equal(again.bytes.toString('hex'), read.bytes.toString('hex'))
    }
  }
})

/** A configuration of Encrypted Client Hello that was seen in use, in base64. */
const ech = 'AEX+DQBBtgAgACBMmGJQR02doup+5VPMjYpe5HQQ/bpntFCxDa8LT2PLAgAEAAEAAQASY2xvdWRmbGFyZS1lY2guY29tAAA='

test('what is entered as ech is a list of configurations, in whatever form (RFC 9849, 4)', () => {
  const https = (params: string) => new Values('example.com', 'HTTPS').read(`1 . ${params}`)
  const list = Buffer.from(ech, 'base64')
  const changed = (at: number, byte: number) => {
    const bytes = Buffer.from(list)
    bytes[at] = byte
    return bytes
  }
  const twice = Buffer.concat([Buffer.of(0, 2 * (list.length - 2)), list.subarray(2), list.subarray(2)])
  const unknown = Buffer.of(0, 6, 0xfe, 0x0e, 0, 2, 1, 2)
  const wire = (bytes: Buffer) => [...bytes].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')
  const generic = (bytes: Buffer) => {
    const data = Buffer.concat([Buffer.of(0, 1, 0, 0, 5, 0, bytes.length), bytes])
    return new Values('example.com', 'HTTPS').read(`\\# ${data.length} ${data.toString('hex')}`)
  }
  for (const bytes of [list, twice, unknown]) {
    assert.ok(https(`ech=${bytes.toString('base64')}`).ok, bytes.toString('hex'))
    assert.ok(https(`key5="${wire(bytes)}"`).ok, bytes.toString('hex'))
    assert.ok(generic(bytes).ok, bytes.toString('hex'))
  }
  const bad = [
    Buffer.of(0, 0x48, 0xfe, 0x0d),
    Buffer.of(0, 0),
    list.subarray(2),
    list.subarray(0, -1),
    Buffer.concat([list, Buffer.of(0)]),
    changed(1, 0x44),
    changed(5, 0x40),
    // Of the public key, the cipher suites, the public name and the extensions.
    changed(10, 0x21),
    changed(44, 3),
    changed(50, 0),
    changed(70, 1),
  ]
  for (const bytes of bad) {
    const read = https(`ech=${bytes.toString('base64')}`)
    assert.deepEqual(
      [read.ok, 'message' in read && read.message],
      [false, "has no ECHConfigList in the parameter 'ech'"],
    )
    assert.equal(generic(bytes).ok, false, bytes.toString('hex'))
  }
})

test('parameters in the generic form obey the rules of their own', () => {
  const generic = (hex: string) => new Values('example.com', 'SVCB').read(`\\# ${hex.length / 2} ${hex}`)
  const head = '000100'
  assert.ok(generic(`${head}0001000302683200030002 01bb`.replace(' ', '')).ok)
  for (const params of [
    // Without a protocol, one of no length, `no-default-alpn` alone, a port of one byte, `mandatory` without its key.
    '00010000',
    '0001000100',
    '00020000',
    '0003000101',
    '000000020003',
    '0003000201bb0001000302683200',
  ])
    assert.equal(generic(head + params).ok, false, params)
  assert.equal(generic('0000000003000201bb').ok, false, 'an alias')
})

test('parameters of HTTPS records are on the wire in the order of their keys (RFC 9460, appendix D)', () => {
  const vectors = [
    ['0 foo.example.com.', '000003666f6f076578616d706c6503636f6d00'],
    ['1 .', '000100'],
    ['16 foo.example.com. port=53', '001003666f6f076578616d706c6503636f6d00000300020035'],
    ['1 foo.example.com. key667=hello', '000103666f6f076578616d706c6503636f6d00029b000568656c6c6f'],
    ['1 foo.example.com. key667="hello\\210qoo"', '000103666f6f076578616d706c6503636f6d00029b000968656c6c6fd2716f6f'],
    [
      '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1',
      '001003666f6f076578616d706c65036f7267000000000400010004000100090268320568332d313900040004c0000201',
    ],
    [
      '16 foo.example.org. alpn="f\\\\\\\\oo\\\\,bar,h2"',
      '001003666f6f076578616d706c65036f7267000001000c08665c6f6f2c626172026832',
    ],
  ] as const
  for (const [text, hex] of vectors) {
    const read = parseRdata('SVCB', text, origin)
    assert.ok(read.ok, text)
    assert.equal(read.bytes.toString('hex'), hex, text)
  }
})

test('a zone is a registrable name under a public suffix', () => {
  for (const name of [
    'example.com',
    'example.co.uk',
    'xn--mnchen-3ya.de',
    'a.test',
    'home.internal',
    '1.example',
    'github.io',
  ]) {
    assert.equal(zoneNameProblem(name), undefined, name)
  }
  const bad = [
    'com',
    'co.uk',
    'www.example.com',
    'Example.com',
    'example.com.',
    'münchen.de',
    '-a.com',
    'a_b.com',
    'a..com',
  ]
  for (const name of [...bad, '192.0.2.1', 'xn--a.com', '', `${'a'.repeat(64)}.com`]) {
    assert.notEqual(zoneNameProblem(name), undefined, name)
  }
})

test('names of RRSets are relative, in lower case, with a wildcard in front at most', () => {
  for (const name of ['@', 'www', '_dmarc', '*', '*.a', 'a.b.c', 'xn--mnchen-3ya', '1']) {
    assert.equal(recordNameProblem(name, 'example.com'), undefined, name)
  }
  const bad = [
    'www.',
    'WWW',
    'www.example.com',
    'example.com',
    'a..b',
    'a.*',
    '**',
    'a b',
    'ä',
    '',
    '-a',
    'xn--a',
    '\\065',
  ]
  for (const name of [...bad, `${'a.'.repeat(125)}a`])
    assert.notEqual(recordNameProblem(name, 'example.com'), undefined, name)
})

test('a serial is the day and a number in it, and always grows', () => {
  const day = Date.parse('2026-11-21T23:59:59Z')
  assert.equal(nextSerial(0, day), 2026112100)
  assert.equal(nextSerial(2026112100, day), 2026112101)
  assert.equal(nextSerial(2026112199, day), 2026112200)
  assert.equal(nextSerial(2026112205, day), 2026112206)
  assert.equal(nextSerial(2026112205, Date.parse('2026-11-23')), 2026112300)
})

test('primaries have public addresses unless their network is allowed, and a key with its algorithm', () => {
  const field = (given: object, allowed: string[] = []) => {
    const parsed = parseNameserver({ address: '203.0.113.1', ...given }, allowed)
    return 'field' in parsed ? parsed.field : undefined
  }
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    'fe80::1',
    '::ffff:127.0.0.1',
    '0.0.0.0',
    'a.b',
  ]) {
    assert.equal(field({ address }), 'address', address)
  }
  assert.equal(field({ address: '127.0.0.1' }, ['127.0.0.0/8']), undefined)
  assert.equal(field({}), undefined)
  assert.equal(field({ tsig_key: 'AAAA' }), 'tsig_algorithm')
  assert.equal(field({ tsig_algorithm: 'hmac-sha256' }), 'tsig_key')
  assert.equal(field({ tsig_algorithm: 'hmac-sha256', tsig_key: 'no base64' }), 'tsig_key')
  assert.equal(field({ tsig_algorithm: 'hmac-sha256', tsig_key: 'AAAA' }), undefined)
})

test('names with escapes are read and printed alike', () => {
  for (const [text, printed] of [
    ['a\\.b.c.', 'a\\.b.c.'],
    ['\\065.', 'A.'],
    ['www', 'www.example.com.'],
    ['.', '.'],
    ['a\\"b.', 'a\\"b.'],
    ['My\\ Printer\\032\\195\\164._ipp', 'My\\032Printer\\032\\195\\164._ipp.example.com.'],
    ['\\000\\127.', '\\000\\127.'],
  ] as const) {
    const name = parseName(text, origin)
    assert.ok(name.ok, text)
    assert.equal(printName(name.wire), printed)
  }
  for (const text of ['a\\', '\\256.', '\\25', '..', 'a..', 'a b.', 'ä.', '\\ä.'])
    assert.equal(parseName(text, origin).ok, false, text)
})

// ---- Zone files ----------------------------------------------------------------------------------------------------

function read(text: string) {
  const reading = readZonefile(text, 'example.com')
  for (;;) {
    const step = reading.next()
    if (step.done) return step.value
  }
}

test('a zone file is read in every form that the format has', () => {
  const { ttl, rrsets } = read(`
; a comment of its own
@	SOA ns1 hostmaster ( 7 ; serial
	1d 3h   ; more
	1w 600 ) ; the start
$ORIGIN example.com.
$TTL 2h
@ 300 IN CAA 0 issue "ca.example"
@ IN 600 A 192.0.2.1 ; first
  A 192.0.2.2
	IN	AAAA 2001:db8::1
WWW.Example.COM. 1h CNAME @
txt TXT unquoted "quoted ; no comment" (
 "and" )
`)
  assert.equal(ttl, 7_200)
  const shown = rrsets.map((rrset) => [
    `${rrset.name}/${rrset.type}`,
    rrset.ttl,
    ...rrset.records.map(({ value, comment }) => value + (comment && ` ; ${comment}`)),
  ])
  assert.deepEqual(shown, [
    ['@/SOA', null, 'ns1 hostmaster 0 86400 10800 604800 600 ; the start'],
    ['@/CAA', 300, '0 issue "ca.example"'],
    ['@/A', 600, '192.0.2.1 ; first', '192.0.2.2'],
    ['@/AAAA', null, '2001:db8::1'],
    ['www/CNAME', 3_600, '@'],
    ['txt/TXT', null, '"unquoted" "quoted ; no comment" "and"'],
  ])
})

test('a zone file is read in steps of one value, also when its values are compared', () => {
  const count = 500
  const lines = Array.from({ length: count }, (_, place) => `www AAAA 2001:db8::${place.toString(16)}`)
  const steps = readZonefile(lines.join('\n'), 'example.com')
  let taken = 0
  while (!steps.next().done) taken++
  assert.ok(taken >= 2 * count, `only ${taken} steps`)
})

test('values are read once, whoever asks, and kept as they were written', () => {
  const values = new Values('example.com', 'AAAA')
  const given = ['2001:DB8::1', '2001:db8:0::1', 'none'].map((value) => ({ value }))
  assert.equal([...values.readAll(given)].length, 3)
  const [one, same] = given.map(({ value }) => values.read(value))
  assert.ok(one?.ok && same?.ok)
  assert.equal(one, values.read('2001:DB8::1'))
  assert.equal(one.key, same.key)
  assert.deepEqual([one.text, same.text], ['2001:DB8::1', '2001:db8:0::1'])
  assert.equal(values.read('none').ok, false)
})

test('a zone file is read as name servers write it', () => {
  const { rrsets } = read(`
$ORIGIN .
$TTL 3600
example.com IN SOA ns1.wolke.example. hostmaster.wolke.example. 7 86400 10800 3600000 3600
            NS ns1.wolke.example.
$ORIGIN example.com.
www A 192.0.2.1
TYPE TYPE1 \\# 4 C0000202
alias CNAME www
$ORIGIN sub.example.com.
deep TYPE16 "text"
class CLASS1 TYPE1 \\# 4 C0000203
alias CNAME deep
$ORIGIN com.
example IN SOA ns1.wolke.example. hostmaster.wolke.example. 7 86400 10800 3600000 3600
`)
  assert.deepEqual(
    rrsets.map(({ name, type, records }) => [name, type, ...records.map(({ value }) => value)]),
    [
      ['@', 'SOA', 'ns1.wolke.example. hostmaster.wolke.example. 0 86400 10800 3600000 3600'],
      ['@', 'NS', 'ns1.wolke.example.'],
      ['www', 'A', '192.0.2.1'],
      ['type', 'A', '192.0.2.2'],
      ['alias', 'CNAME', 'www'],
      ['deep.sub', 'TXT', '"text"'],
      ['class.sub', 'A', '192.0.2.3'],
      ['alias.sub', 'CNAME', 'deep.sub.example.com.'],
    ],
  )
})

test('what is wrong with a zone file is told with its line', () => {
  for (const [text, line, message] of [
    ['\n\nwww A', 3, /too few fields/],
    ['www A 192.0.2.1 )', 1, /too many/],
    ['www TXT ( "a"', 1, /not closed/],
    ['www TXT "a', 1, /not closed/],
    [`www TXT${' a'.repeat(6_000)}`, 1, /too long/],
    ['()'.repeat(6_000), 1, /too long/],
    ['www.example.net. A 192.0.2.1', 1, /outside the zone/],
    ['$ORIGIN other.example.', 1, /\$ORIGIN/],
    ['$INCLUDE /etc/passwd', 1, /not supported/],
    ['$TTL 5', 1, /TTL/],
    ['www 5 A 192.0.2.1', 1, /TTL/],
    ['www CH A 192.0.2.1', 1, /'CH'/],
    ['www DNSKEY 1', 1, /'DNSKEY'/],
    ['\nwww IN TYPE65534 \\# 1 00', 2, /'TYPE65534' where a type that zones can have is expected/],
    ['\nwww CLASS1 TYPE48 \\# 1 00', 2, /'TYPE48'/],
    ['www CLASS3 TYPE1 \\# 4 C0000201', 1, /'CLASS3'/],
    ['\nwww HTTPS 1 . ech=AEj+DQ==', 2, /no ECHConfigList/],
    [' A 192.0.2.1', 1, /without an owner/],
    ['www', 1, /no type/],
    ['www A 192.0.2.1\nwww A 192.0.2.1', 0, /duplicate value 192\.0\.2\.1/],
    ['www A 192.0.2.1\nwww CNAME a', 0, /CNAME/],
  ] as const) {
    assert.throws(
      () => read(text),
      (error: Error & { line: number }) => {
        assert.match(error.message, message)
        assert.equal(error.line, line, text)
        return true
      },
    )
  }
})
