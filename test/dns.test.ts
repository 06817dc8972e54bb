/** The name server, asked over its sockets by a client of another make, on both databases. */

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { placeChallenge, removeChallenge } from '../src/families/zones/effects.ts'
import { zonesOfDomains } from '../src/families/zones/reads.ts'
import { acrossProjects } from '../src/kernel/data/scoped.ts'
import { DefaultNames } from '../src/net/default-names.ts'
import { ask, exchangeStream, exchangeTcp, exchangeUdp, framed, question, serveDns, tell } from './dns-client.ts'
import { forDatabasesInTurn, type World } from './harness.ts'
import { expect } from './resources.ts'

const rrset = (name: string, type: string, ...values: string[]) => ({
  name,
  type,
  records: values.map((value) => ({ value })),
})

async function makeZone({ api }: Pick<World, 'api'>, rrsets: object[] = [], more: object = {}): Promise<number> {
  return expect(await api.post('/zones', { name: 'example.com', mode: 'primary', rrsets, ...more }), 201).body.zone.id
}

const soa = (serial: number, minimum = 3600) =>
  `ns1.wolke.example hostmaster.wolke.example ${serial} 86400 10800 3600000 ${minimum}`
const negative = [`example.com SOA ${soa(2026112100)}`]

forDatabasesInTurn('The name server', (open, inProcesses) => {
  test('answers records of every type with authority, and its own zones alone', async () => {
    const world = await open()
    await makeZone(world, [
      rrset('www', 'A', '192.0.2.1', '192.0.2.2'),
      rrset('www', 'AAAA', '2001:db8::1'),
      rrset('@', 'MX', '10 mail', '20 mail.example.net.'),
      rrset('@', 'TXT', '"v=spf1 -all" "two"'),
      rrset('@', 'CAA', '0 issue "ca.example"'),
      rrset('_sip._tcp', 'SRV', '1 2 5060 sip'),
      rrset('@', 'HTTPS', '1 . port=8443'),
      rrset('@', 'HINFO', '"PC" "Linux"'),
      rrset('ptr', 'PTR', 'www'),
    ])
    const place = await serveDns(world)
    const answers = async (name: string, type: string) => {
      const told = await ask(place, name, type)
      assert.deepEqual([told.rcode, told.isAuthoritative], ['NOERROR', true], `${name} ${type}`)
      return told.answers
    }
    assert.deepEqual(await answers('www.example.com', 'A'), [
      'www.example.com A 192.0.2.1',
      'www.example.com A 192.0.2.2',
    ])
    assert.deepEqual(await answers('www.example.com', 'AAAA'), ['www.example.com AAAA 2001:db8::1'])
    assert.deepEqual(await answers('example.com', 'MX'), [
      'example.com MX 10 mail.example.com',
      'example.com MX 20 mail.example.net',
    ])
    assert.deepEqual(await answers('example.com', 'TXT'), ['example.com TXT v=spf1 -all two'])
    assert.deepEqual(await answers('_sip._tcp.example.com', 'SRV'), [
      '_sip._tcp.example.com SRV 1 2 5060 sip.example.com',
    ])
    assert.deepEqual(await answers('example.com', 'HINFO'), ['example.com HINFO PC Linux'])
    assert.deepEqual(await answers('ptr.example.com', 'PTR'), ['ptr.example.com PTR www.example.com'])
    assert.deepEqual(await answers('example.com', 'SOA'), [`example.com SOA ${soa(2026112100)}`])
    assert.deepEqual(
      await answers('example.com', 'NS'),
      [1, 2, 3].map((n) => `example.com NS ns${n}.wolke.example`),
    )
    assert.equal((await answers('example.com', 'CAA')).length, 1)
    const https = question('example.com', 'A')
    https[https.length - 3] = 65
    const answer = (await exchangeUdp(place, https)).toString('hex')
    assert.ok(answer.endsWith('0009000100000300022 0fb'.replace(' ', '')), answer)
    for (const name of ['example.org', 'com', '.', 'notexample.com']) {
      const told = await ask(place, name, 'A')
      assert.deepEqual([told.rcode, told.isAuthoritative, told.answers], ['REFUSED', false, []], name)
    }
  })

  test('a name that does not exist, one without such records, and one that only has others below it, are told apart', async () => {
    const world = await open()
    await makeZone(world, [rrset('a.b', 'A', '192.0.2.1')])
    const place = await serveDns(world)
    for (const [name, rcode] of [
      ['nothing.example.com', 'NXDOMAIN'],
      ['c.a.b.example.com', 'NXDOMAIN'],
      ['a.b.example.com', 'NOERROR'],
      ['b.example.com', 'NOERROR'],
      ['example.com', 'NOERROR'],
    ] as const) {
      const told = await ask(place, name, 'TXT')
      assert.deepEqual(
        [told.rcode, told.isAuthoritative, told.answers, told.authorities],
        [rcode, true, [], negative],
        name,
      )
    }
    expect(await world.api.delete('/zones/example.com/rrsets/a.b/A'), 201)
    assert.equal((await ask(place, 'b.example.com', 'TXT')).rcode, 'NXDOMAIN')
  })

  test('what is missing may be remembered for the lesser of the two times of the SOA record', async () => {
    const world = await open()
    await makeZone(world, [], { ttl: 7_200 })
    const place = await serveDns(world)
    const ttl = async () => ((await ask(place, 'x.example.com', 'A')).packet.authorities![0] as { ttl: number }).ttl
    assert.equal(await ttl(), 3_600)
    await world.api.post('/zones/example.com/actions/change_ttl', { ttl: 60 })
    assert.equal(await ttl(), 60)
  })

  test('aliases are followed within a zone and into others of ours, never in circles', async () => {
    const world = await open()
    await makeZone(world, [
      rrset('a', 'CNAME', 'b'),
      rrset('b', 'CNAME', 'www.other.example.'),
      rrset('out', 'CNAME', 'www.elsewhere.example.'),
      rrset('gone', 'CNAME', 'nothing'),
      rrset('x', 'CNAME', 'y'),
      rrset('y', 'CNAME', 'x'),
      rrset('self', 'CNAME', 'self'),
    ])
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')], { name: 'other.example' })
    const place = await serveDns(world)
    const chain = await ask(place, 'a.example.com', 'A')
    assert.deepEqual(chain.answers, [
      'a.example.com CNAME b.example.com',
      'b.example.com CNAME www.other.example',
      'www.other.example A 192.0.2.1',
    ])
    assert.deepEqual((await ask(place, 'out.example.com', 'A')).answers, [
      'out.example.com CNAME www.elsewhere.example',
    ])
    assert.deepEqual((await ask(place, 'a.example.com', 'CNAME')).answers, ['a.example.com CNAME b.example.com'])
    const gone = await ask(place, 'gone.example.com', 'A')
    assert.deepEqual([gone.rcode, gone.answers.length, gone.authorities], ['NXDOMAIN', 1, negative])
    assert.equal((await ask(place, 'x.example.com', 'A')).answers.length, 2)
    assert.equal((await ask(place, 'self.example.com', 'A')).answers.length, 1)
    // A change in the zone that the alias leads to is a change of the answer.
    await world.api.post('/zones/other.example/rrsets/www/A/actions/set_records', { records: [{ value: '192.0.2.9' }] })
    assert.equal((await ask(place, 'a.example.com', 'A')).answers[2], 'www.other.example A 192.0.2.9')
  })

  test('a wildcard stands for names that do not exist, right below the nearest that does', async () => {
    const world = await open()
    await makeZone(world, [
      rrset('*', 'A', '192.0.2.1'),
      rrset('*.sub', 'CNAME', 'www.elsewhere.example.'),
      rrset('host', 'TXT', '"here"'),
      rrset('a.deep', 'TXT', '"here"'),
    ])
    const place = await serveDns(world)
    const answers = async (name: string, type = 'A') => {
      const { rcode, answers: all } = await ask(place, name, type)
      return all[0] ?? rcode
    }
    assert.equal(await answers('x.example.com'), 'x.example.com A 192.0.2.1')
    assert.equal(await answers('x.y.example.com'), 'x.y.example.com A 192.0.2.1')
    assert.equal(await answers('*.example.com'), '*.example.com A 192.0.2.1')
    assert.equal(await answers('x.example.com', 'TXT'), 'NOERROR')
    assert.equal(await answers('x.sub.example.com'), 'x.sub.example.com CNAME www.elsewhere.example')
    assert.equal(await answers('host.example.com'), 'NOERROR')
    assert.equal(await answers('x.host.example.com'), 'NXDOMAIN')
    assert.equal(await answers('x.deep.example.com'), 'NXDOMAIN')
    assert.equal(await answers('sub.example.com'), 'NOERROR')
  })

  test('delegated names are referred to their servers with their addresses; their DS records are ours', async () => {
    const world = await open()
    await makeZone(world, [
      rrset('sub', 'NS', 'ns.sub', 'ns.elsewhere.example.'),
      rrset('ns.sub', 'A', '192.0.2.53'),
      rrset('ns.sub', 'AAAA', '2001:db8::53'),
      rrset('sub', 'DS', '60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118'),
      rrset('plain', 'NS', 'ns.elsewhere.example.'),
    ])
    const place = await serveDns(world)
    for (const name of ['sub.example.com', 'x.sub.example.com', 'ns.sub.example.com']) {
      const told = await ask(place, name, 'A')
      assert.deepEqual([told.rcode, told.isAuthoritative, told.answers], ['NOERROR', false, []], name)
      assert.deepEqual(told.authorities.slice(0, 2), [
        'sub.example.com NS ns.sub.example.com',
        'sub.example.com NS ns.elsewhere.example',
      ])
      assert.deepEqual(told.additionals, ['ns.sub.example.com A 192.0.2.53', 'ns.sub.example.com AAAA 2001:db8::53'])
    }
    const ds = await ask(place, 'sub.example.com', 'DS')
    assert.deepEqual([ds.isAuthoritative, ds.answers.length], [true, 1])
    const none = await ask(place, 'plain.example.com', 'DS')
    assert.deepEqual([none.isAuthoritative, none.answers, none.authorities], [true, [], negative])
  })

  test('a change is answered by the next query, also of what was answered before', async () => {
    const world = await open()
    const { api } = world
    const place = await serveDns(world)
    const now = async (name = 'www.example.com') => {
      const told = await ask(place, name, 'A')
      return told.answers.map((line) => line.split(' ')[2]).join() || told.rcode
    }
    assert.equal(await now(), 'REFUSED')
    await makeZone(world)
    assert.equal(await now(), 'NXDOMAIN')
    for (let last = 1; last <= 20; last++) {
      expect(
        await api.post('/zones/example.com/rrsets/www/A/actions/add_records', {
          records: [{ value: `192.0.2.${last}` }],
        }),
        201,
      )
      assert.equal((await now()).split(',').length, last)
    }
    const exported = (await api.get('/zones/example.com/zonefile')).body.zonefile.replaceAll('192.0.2.', '198.51.100.')
    expect(await api.post('/zones/example.com/actions/import_zonefile', { zonefile: exported }), 201)
    assert.ok((await now()).startsWith('198.51.100.1,'))
    expect(await api.delete('/zones/example.com/rrsets/www/A'), 201)
    assert.equal(await now(), 'NXDOMAIN')
    expect(await api.delete('/zones/example.com'), 201)
    assert.equal(await now(), 'REFUSED')
    await makeZone(world, [rrset('www', 'A', '203.0.113.1')])
    assert.equal(await now(), '203.0.113.1')
  })

  test('what follows its changes one by one is what is read anew', async () => {
    const world = await open()
    const { api } = world
    await makeZone(world)
    const followed = await serveDns(world)
    const names = ['a', 'b.a', 'c.b.a', '*.a', 'd']
    const path = (name: string, type: string) => `/zones/example.com/rrsets/${name}/${type}`
    const step = fc.tuple(fc.constantFrom(...names), fc.constantFrom('A', 'TXT', 'NS'), fc.boolean())
    const value = { A: '192.0.2.1', TXT: '"x"', NS: 'ns.d' } as const
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        for (const [name, type, adds] of steps) {
          await (adds
            ? api
                .post(`${path(name, type)}/actions/set_records`, { records: [{ value: value[type] }] })
                .then(async ({ status }) => {
                  if (status === 404)
                    expect(await api.post('/zones/example.com/rrsets', rrset(name, type, value[type])), 201)
                })
            : api.delete(path(name, type)))
          await ask(followed, `${name}.example.com`, 'A')
        }
        const anew = await serveDns(world)
        for (const name of [...names, 'b', 'x', 'x.a', 'x.b.a', 'y.x.d']) {
          for (const type of ['A', 'TXT', 'NS', 'MX']) {
            const [one, other] = [
              await ask(followed, `${name}.example.com`, type),
              await ask(anew, `${name}.example.com`, type),
            ]
            assert.equal(one.bytes.toString('hex'), other.bytes.toString('hex'), `${name} ${type}`)
          }
        }
        await anew.close()
      }),
      { numRuns: 5 },
    )
  })

  inProcesses(() => {
    test('a change of another process is answered once this one has looked', async () => {
      const world = await open()
      const other = await open({ database: world.database })
      const [place, theirs] = [await serveDns(world), await serveDns(other)]
      await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
      await theirs.look()
      assert.deepEqual((await ask(theirs, 'www.example.com', 'A')).answers, ['www.example.com A 192.0.2.1'])
      expect(await other.api.delete('/zones/example.com/rrsets/www/A'), 201)
      assert.equal((await ask(theirs, 'www.example.com', 'A')).rcode, 'NXDOMAIN')
      await place.look()
      assert.equal((await ask(place, 'www.example.com', 'A')).rcode, 'NXDOMAIN')
      const { floating_ip: ip } = (await world.api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })).body
      const reverse = `${ip.ip.split('.').reverse().join('.')}.in-addr.arpa`
      assert.equal((await ask(theirs, reverse, 'PTR')).answers.length, 1)
      await world.api.post(`/floating_ips/${ip.id}/actions/change_dns_ptr`, { ip: ip.ip, dns_ptr: 'www.example.com' })
      await theirs.look()
      assert.deepEqual((await ask(theirs, reverse, 'PTR')).answers, [`${reverse} PTR www.example.com`])
    })
  })

  test('zones that were not asked for are forgotten when there is no room, and come back when they are', async () => {
    const world = await open()
    for (let i = 0; i < 5; i++) await makeZone(world, [rrset('www', 'A', `192.0.2.${i}`)], { name: `z${i}.example` })
    const place = await serveDns(world, { maxRecords: 7 })
    for (const i of [0, 1, 2, 3, 4, 0, 2, 4]) {
      assert.deepEqual((await ask(place, `www.z${i}.example`, 'A')).answers, [`www.z${i}.example A 192.0.2.${i}`])
    }
  })

  test('while the database is away, what is known is still answered', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
    await makeZone(world, [rrset('www', 'A', '192.0.2.2')], { name: 'other.example' })
    const place = await serveDns(world)
    assert.equal((await ask(place, 'www.example.com', 'A')).answers.length, 1)
    await world.db.close()
    assert.deepEqual((await ask(place, 'www.example.com', 'A')).answers, ['www.example.com A 192.0.2.1'])
    assert.equal((await ask(place, 'new.example.com', 'A')).rcode, 'NXDOMAIN')
    assert.equal((await ask(place, 'www.other.example', 'A')).rcode, 'SERVFAIL')
    assert.equal((await ask(place, '1.2.0.192.in-addr.arpa', 'PTR')).rcode, 'SERVFAIL')
  })

  // ---- Messages -----------------------------------------------------------------------------------------------------

  test('an answer is as long as the client can take, and comes whole over TCP', async () => {
    const world = await open()
    const values = Array.from({ length: 60 }, (_, i) => `192.0.2.${i}`)
    await makeZone(world, [
      rrset('www', 'A', ...values.slice(0, 40)),
      rrset('many', 'TXT', `"${'x'.repeat(200)}"`, ...values.slice(0, 40).map((v) => `"${v.padEnd(60)}"`)),
    ])
    const place = await serveDns(world)
    for (let i = 0; i < 2; i++) {
      const short = await ask(place, 'www.example.com', 'A')
      assert.deepEqual([short.isTruncated, short.answers], [true, []])
      assert.ok(short.bytes.length <= 512)
      const long = await ask(place, 'www.example.com', 'A', { edns: 1232 })
      assert.deepEqual([long.isTruncated, long.answers.length], [false, 40])
      const tooLong = await ask(place, 'many.example.com', 'TXT', { edns: 4096 })
      assert.deepEqual([tooLong.isTruncated, tooLong.bytes.length <= 1232], [true, true])
      const whole = await ask(place, 'many.example.com', 'TXT', { tcp: true })
      assert.deepEqual([whole.isTruncated, whole.answers.length], [false, 41])
    }
  })

  test('EDNS is answered with EDNS; a version of it that does not exist yet is refused', async () => {
    const world = await open()
    await makeZone(world)
    const place = await serveDns(world)
    const told = await ask(place, 'example.com', 'SOA', { edns: 4096 })
    const opt = told.packet.additionals!.find((one) => one.type === 'OPT') as { udpPayloadSize: number } | undefined
    assert.equal(opt?.udpPayloadSize, 1232)
    assert.equal((await ask(place, 'example.com', 'SOA')).packet.additionals!.length, 0)
    const future = question('example.com', 'SOA', { edns: 1232 })
    future[future.length - 5] = 1
    const bytes = await exchangeUdp(place, future)
    // The upper bits of the response code are in the OPT record: 1, which makes it 16 (BADVERS).
    assert.deepEqual([bytes[3]! & 0xf, bytes.at(-6)], [0, 1])
  })

  test('ANY is answered with one small record, whatever there is', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1'), rrset('www', 'TXT', '"x"')])
    const place = await serveDns(world)
    assert.deepEqual((await ask(place, 'www.example.com', 'ANY')).answers, ['www.example.com HINFO RFC8482 '])
    assert.equal((await ask(place, 'x.example.com', 'ANY')).rcode, 'NXDOMAIN')
  })

  test('the question comes back letter by letter, and its case makes no difference', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
    const place = await serveDns(world)
    for (const name of ['www.example.com', 'WWW.eXample.COM', 'wWw.ExAmPlE.cOm']) {
      const told = await ask(place, name, 'A')
      assert.equal(told.packet.questions![0]!.name, name)
      assert.deepEqual(told.answers, [`${name} A 192.0.2.1`])
    }
  })

  test('id and recursion are those of the query, and recursion is never offered', async () => {
    const world = await open()
    await makeZone(world)
    const place = await serveDns(world)
    for (const [id, flags] of [
      [1, 0],
      [65_535, 0x100],
      [256, 0],
    ] as const) {
      const { packet } = await ask(place, 'example.com', 'SOA', { packet: { id, flags } })
      assert.deepEqual([packet.id, packet.flag_rd, packet.flag_ra, packet.flag_qr], [id, flags !== 0, false, true])
    }
  })

  test('what is no question for us is refused in the terms of the protocol', async () => {
    const world = await open()
    await makeZone(world)
    const place = await serveDns(world)
    const rcode = async (change: (bytes: Buffer) => Buffer | undefined, type = 'A') => {
      const bytes = question('example.com', type)
      return (await exchangeUdp(place, change(bytes) ?? bytes))[3]! & 0xf
    }
    const at = (place: number, value: number) => (bytes: Buffer) => {
      bytes[place] = value
      return undefined
    }
    assert.equal(await rcode(at(2, 0x28)), 4, 'UPDATE')
    assert.equal(await rcode(at(2, 0x10)), 4, 'STATUS')
    assert.equal(await rcode(at(5, 0)), 1, 'no question')
    assert.equal(await rcode(at(5, 2)), 1, 'two questions')
    assert.equal(await rcode((bytes) => bytes.subarray(0, 20)), 1, 'half a question')
    assert.equal(await rcode(at(12, 0xc0)), 1, 'a pointer instead of a name')
    assert.equal(await rcode(at(11, 1)), 1, 'a record that is not there')
    assert.equal(await rcode((bytes) => at(bytes.length - 1, 3)(bytes)), 5, 'class CH')
    assert.equal(await rcode((bytes) => bytes, 'AXFR'), 1, 'a transfer over UDP')
    assert.equal((await exchangeTcp(place, question('example.com', 'AXFR')))[0]![3]! & 0xf, 5, 'a transfer for anybody')
    assert.equal((await ask(place, 'example.com', 'SOA')).rcode, 'NOERROR')
  })

  test('over TCP several queries come through one connection, and are answered in order', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
    const place = await serveDns(world)
    const messages = [1, 2, 3].map((id) => framed(question('www.example.com', 'A', { packet: { id } })))
    const answers = await exchangeStream(place, Buffer.concat(messages), 3)
    assert.deepEqual(
      answers.map((bytes) => tell(bytes).packet.id),
      [1, 2, 3],
    )
  })

  test('over TCP connections whose queries never end make room for those who ask', async (t) => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1')])
    const place = await serveDns(world)
    const slow = Array.from({ length: 50 }, () => connect(place.port, place.host).on('error', () => undefined))
    t.after(() => slow.map((socket) => socket.destroy()))
    for (const socket of slow) {
      socket.write(Buffer.of(0))
      if (socket.connecting) await once(socket, 'connect')
    }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(place, 'www.example.com', 'A', { tcp: true })),
    )
    assert.ok(answers.every(({ rcode }) => rcode === 'NOERROR'))
  })

  test('nothing that anybody sends stops it', async () => {
    const world = await open()
    await makeZone(world, [rrset('www', 'A', '192.0.2.1'), rrset('*', 'TXT', '"x"')])
    const place = await serveDns(world)
    const valid = [
      question('www.example.com', 'A', { edns: 1232 }),
      question('a.b.example.com', 'TXT'),
      question('1.2.0.192.in-addr.arpa', 'PTR'),
    ]
    const mutated = fc
      .tuple(
        fc.constantFrom(...valid),
        fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(60),
      )
      .map(([bytes, changes, cut]) => {
        const copy = Buffer.from(bytes)
        for (const [where, value] of changes) copy[where % copy.length] = value
        return copy.subarray(0, copy.length - (cut % 20))
      })
    const loops = fc.nat(40).map((offset) => {
      const bytes = Buffer.concat([
        question('x.example.com', 'A'),
        Buffer.of(0xc0, 12 + offset, 0, 41, 0, 0, 0, 0, 0, 0, 0, 0),
      ])
      bytes[11] = 1
      return bytes
    })
    const anything = fc.oneof(fc.uint8Array({ maxLength: 600 }), mutated, loops)
    const sender = createSocket('udp4')
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        sender.send(bytes, place.port, place.host)
        // What was sent before has been looked at when the answer to a good question is there.
        assert.deepEqual((await ask(place, 'www.example.com', 'A')).answers, ['www.example.com A 192.0.2.1'])
      }),
      { numRuns: 300 },
    )
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        await exchangeStream(place, bytes, 0)
        await exchangeStream(place, framed(bytes), 0)
      }),
      { numRuns: 20 },
    )
    sender.close()
    assert.deepEqual((await ask(place, 'www.example.com', 'A', { tcp: true })).answers, ['www.example.com A 192.0.2.1'])
  })

  // ---- Addresses ----------------------------------------------------------------------------------------------------

  test('every address that somebody holds has its name, in both directions while it is the default', async () => {
    const world = await open()
    const place = await serveDns(world)
    const pointer = async (name: string) => {
      const told = await ask(place, name, 'PTR')
      return told.answers.map((line) => line.split(' ')[2]).join() || told.rcode
    }
    const reverse = (ip: string) => `${ip.split('.').reverse().join('.')}.in-addr.arpa`
    assert.equal(await pointer(reverse('192.0.2.1')), 'NXDOMAIN')
    const { floating_ip: ip } = (await world.api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })).body
    assert.equal(await pointer(reverse(ip.ip)), ip.dns_ptr[0].dns_ptr)
    assert.deepEqual((await ask(place, ip.dns_ptr[0].dns_ptr, 'A')).answers, [`${ip.dns_ptr[0].dns_ptr} A ${ip.ip}`])
    await world.api.post(`/floating_ips/${ip.id}/actions/change_dns_ptr`, { ip: ip.ip, dns_ptr: 'mail.example.com' })
    assert.equal(await pointer(reverse(ip.ip)), 'mail.example.com')
    await world.api.delete(`/floating_ips/${ip.id}`)
    assert.equal(await pointer(reverse(ip.ip)), 'NXDOMAIN')
    const { server } = (await world.api.post('/servers', { name: 's', server_type: 'cpx22', image: 'debian-13' })).body
    const { ipv4 } = server.public_net
    assert.equal(await pointer(reverse(ipv4.ip)), ipv4.dns_ptr)
    assert.equal(await pointer(reverse('10.0.0.1')), 'REFUSED')
  })

  test('addresses of IPv6 networks have the names that they were given', async () => {
    const world = await open()
    const place = await serveDns(world)
    const { floating_ip: network } = (await world.api.post('/floating_ips', { type: 'ipv6', home_location: 'hel1' }))
      .body
    const ip = network.ip.replace(/\/64$/, '1')
    const full = ip
      .replace('::', ':'.repeat(9 - ip.split(':').length + 1))
      .split(':')
      .map((group: string) => group.padStart(4, '0'))
    const name = `${full.join('').split('').reverse().join('.')}.ip6.arpa`
    assert.equal((await ask(place, name, 'PTR')).rcode, 'NXDOMAIN')
    expect(
      await world.api.post(`/floating_ips/${network.id}/actions/change_dns_ptr`, { ip, dns_ptr: 'six.example.com' }),
      201,
    )
    assert.deepEqual((await ask(place, name, 'PTR')).answers, [`${name} PTR six.example.com`])
    const told = await ask(place, name, 'TXT')
    assert.deepEqual([told.rcode, told.answers, told.authorities.length], ['NOERROR', [], 1])
    assert.equal((await ask(place, name.split('.').slice(3).join('.'), 'PTR')).rcode, 'NOERROR')
  })

  test('default names have the form that the operator gives them, in IPv6 networks too', async () => {
    const forms = { ipv4: 'ip-{ipv4-dashed}.hosts.{domain}', ipv6: '{ipv6-dashed}.hosts.{domain}' }
    const world = await open({ defaultNames: new DefaultNames({ domain: 'wolke.example', ...forms }) })
    const place = await serveDns(world)
    const make = async (type: string) =>
      expect(await world.api.post('/floating_ips', { type, home_location: 'hel1' }), 201).body.floating_ip
    const [one, network] = [await make('ipv4'), await make('ipv6')]
    const name = `ip-${one.ip.replaceAll('.', '-')}.hosts.wolke.example`
    assert.deepEqual([one.dns_ptr, network.dns_ptr], [[{ ip: one.ip, dns_ptr: name }], []])
    const reverse = `${one.ip.split('.').reverse().join('.')}.in-addr.arpa`
    assert.deepEqual((await ask(place, reverse, 'PTR')).answers, [`${reverse} PTR ${name}`])
    assert.deepEqual((await ask(place, name, 'A')).answers, [`${name} A ${one.ip}`])
    const change = { ip: one.ip, dns_ptr: 'www.example.com' }
    expect(await world.api.post(`/floating_ips/${one.id}/actions/change_dns_ptr`, change), 201)
    expect(await world.api.post(`/floating_ips/${one.id}/actions/change_dns_ptr`, { ...change, dns_ptr: null }), 201)
    assert.deepEqual((await ask(place, reverse, 'PTR')).answers, [`${reverse} PTR ${name}`])

    const groups = network.ip
      .replace('::/64', '')
      .split(':')
      .map((group: string) => group.padStart(4, '0'))
    const full = [...groups, ...Array.from({ length: 8 - groups.length }, () => '0000')]
    full[7] = '00ab'
    const six = `${full.join('-')}.hosts.wolke.example`
    const reverse6 = `${full.join('').split('').reverse().join('.')}.ip6.arpa`
    assert.deepEqual((await ask(place, reverse6, 'PTR')).answers, [`${reverse6} PTR ${six}`])
    assert.equal((await ask(place, six, 'AAAA')).answers.length, 1)
    assert.deepEqual((await ask(place, six, 'A')).answers, [])
    expect(await world.api.delete(`/floating_ips/${network.id}`), 204)
    assert.equal((await ask(place, reverse6, 'PTR')).rcode, 'NXDOMAIN')
  })

  test('reverse zones have a SOA record whose serial grows, and our name servers', async () => {
    const world = await open()
    const place = await serveDns(world)
    const serial = async () => Number((await ask(place, '2.0.192.in-addr.arpa', 'SOA')).answers[0]!.split(' ')[4])
    const before = await serial()
    await world.api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })
    assert.ok((await serial()) > before)
    assert.equal((await ask(place, '2.0.192.in-addr.arpa', 'NS')).answers.length, 3)
  })

  // ---- Certificates -------------------------------------------------------------------------------------------------

  test('a challenge for a certificate authority is answered and not shown', async () => {
    const world = await open()
    const zoneId = await makeZone(world, [rrset('_acme-challenge.www', 'TXT', '"own"')])
    const { project_id } = await acrossProjects(world.db.query).selectFrom('zone').selectAll().executeTakeFirstOrThrow()
    const scope = { projectId: project_id }
    const place = await serveDns(world)
    const challenge = (domain: string, value: string) => ({ zoneId, domain, value })
    const texts = async (name: string) =>
      (await ask(place, name, 'TXT')).answers.map((line) => line.split(' ')[2]).sort()
    const domains = ['*.a.example.com', 'example.com', 'example.org', 'com']
    const zones = await zonesOfDomains(world.db.query, scope, domains)
    assert.deepEqual(
      domains.map((domain) => zones.get(domain)?.id),
      [zoneId, zoneId, undefined, undefined],
    )
    for (const value of ['one', 'two', 'two'])
      await world.db.transact((tx) => placeChallenge(tx, scope, challenge('example.com', value)))
    await world.db.transact((tx) => placeChallenge(tx, scope, challenge('www.example.com', 'three')))
    assert.deepEqual(await texts('_acme-challenge.example.com'), ['one', 'two'])
    assert.deepEqual(await texts('_acme-challenge.www.example.com'), ['own', 'three'])
    const { rrsets } = (await world.api.get('/zones/example.com/rrsets?type=TXT')).body
    assert.deepEqual(
      rrsets.map(({ records }: { records: unknown }) => records),
      [[{ value: '"own"', comment: '' }]],
    )
    for (const value of ['one', 'two'])
      await world.db.transact((tx) => removeChallenge(tx, scope, challenge('example.com', value)))
    await world.db.transact((tx) => removeChallenge(tx, scope, challenge('www.example.com', 'three')))
    assert.equal((await ask(place, '_acme-challenge.example.com', 'TXT')).rcode, 'NXDOMAIN')
    assert.deepEqual(await texts('_acme-challenge.www.example.com'), ['own'])
  })
})
