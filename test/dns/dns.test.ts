/** The name server, asked over its sockets by a client of another make, on both databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { placeChallenge, removeChallenge } from '../../src/families/zones/effects.ts'
import { zonesOfDomains } from '../../src/families/zones/reads.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import { forDatabasesInTurn } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'
import { ask, exchangeUdp, question, serveDns, tell } from './client.ts'
import { makeZone, rrset } from './zones.ts'

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

  test('names in records may have any bytes, as escapes', async () => {
    const world = await open()
    const { api } = world
    const spelled = 'My\\032Printer\\195\\164\\000._ipp._tcp'
    await makeZone(world, [rrset('_ipp._tcp', 'PTR', spelled, 'Other\\ Printer._ipp._tcp')])
    const place = await serveDns(world)
    const wire = async () => (await ask(place, '_ipp._tcp.example.com', 'PTR')).bytes.toString('latin1')
    for (const name of ['My Printer\xc3\xa4\0', 'Other Printer'])
      assert.ok((await wire()).includes(`${String.fromCharCode(name.length)}${name}\x04_ipp\x04_tcp\x07example`), name)
    const zonefile = (await api.get('/zones/example.com/zonefile')).body.zonefile
    expect(await api.post('/zones/example.com/actions/import_zonefile', { zonefile }), 201)
    assert.ok((await wire()).includes('My Printer\xc3\xa4\0\x04_ipp'))
    const { rrset: kept } = (await api.get('/zones/example.com/rrsets/_ipp._tcp/PTR')).body
    assert.equal(kept.records[0].value, spelled)
    for (const value of ['two words.example.net.', 'bücher.example.net.', 'a\\256.example.net.'])
      expect(await api.post('/zones/example.com/rrsets', rrset('ptr', 'PTR', value)), 422, 'invalid_input')
  })

  test('answers bring the addresses of the names in them that are in the zone', async () => {
    const world = await open()
    await makeZone(world, [
      rrset('@', 'MX', '10 mail', '20 mail.sub', '30 mail.example.net.'),
      rrset('@', 'HTTPS', '1 .', '2 mail'),
      rrset('@', 'A', '192.0.2.1'),
      rrset('_sip._tcp', 'SRV', '1 2 5060 mail'),
      rrset('alias', 'SVCB', '0 svc'),
      rrset('svc', 'SVCB', '1 mail'),
      rrset('mail', 'A', '192.0.2.25'),
      rrset('mail', 'AAAA', '2001:db8::25'),
      rrset('sub', 'NS', 'ns.example.net.'),
      rrset('mail.sub', 'A', '192.0.2.26'),
    ])
    const place = await serveDns(world)
    const additional = async (name: string, type: string, code?: number) => {
      const query = question(name, type, { edns: 1_232 })
      if (code !== undefined) query.writeUInt16BE(code, query.length - 15)
      return tell(await exchangeUdp(place, query)).additionals.sort()
    }
    const mail = ['mail.example.com A 192.0.2.25', 'mail.example.com AAAA 2001:db8::25']
    assert.deepEqual(await additional('example.com', 'MX'), mail)
    assert.deepEqual(await additional('_sip._tcp.example.com', 'SRV'), mail)
    assert.deepEqual(await additional('example.com', 'A', 65), ['example.com A 192.0.2.1', ...mail])
    assert.equal((await additional('alias.example.com', 'A', 64)).length, 1, 'the record that the alias leads to')
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
