import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDatabase } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { a, exampleZone, nameservers, nsLines, records, rrsetsOf, soaLine } from '../proof.ts'

forEachDatabase('Zone files', (open) => {
  test('an exported zone file is read again as it is, and with lines added to it', async () => {
    const world = await open()
    const rrsets = [
      {
        name: 'www',
        type: 'A',
        ttl: 300,
        records: [{ value: '192.0.2.1', comment: 'one; two' }, { value: '192.0.2.2' }],
      },
      { name: '*', type: 'TXT', records: [{ value: '"a; b" "\\"c\\""' }] },
      { name: '@', type: 'HTTPS', records: [{ value: '1 . alpn="h2,h3" port=8443' }] },
      { name: '_sip._tcp', type: 'SRV', records: [{ value: '1 2 5060 sip' }] },
    ]
    await exampleZone(world, { ttl: 600, rrsets })
    const read = async () => (await world.api.get('/zones/example.com/zonefile')).body.zonefile as string
    const exported = await read()
    assert.ok(exported.startsWith('$ORIGIN\texample.com.\n$TTL\t600\n'))
    assert.match(exported, /^www\tIN\t300\tA\t192\.0\.2\.1 ; one; two$/m)
    const before = await rrsetsOf(world)
    const load = (zonefile: string) => world.api.post('/zones/example.com/actions/import_zonefile', { zonefile })
    expect(await load(exported), 201)
    assert.deepEqual(await rrsetsOf(world), before)
    const serialless = (text: string) => text.replace(/20261121\d\d/, '')
    assert.equal(serialless(await read()), serialless(exported))
    expect(await load(`${exported}foobar\tIN\tA\t192.168.0.2`), 201)
    assert.deepEqual((await rrsetsOf(world))['foobar/A'], ['192.168.0.2'])
  })

  test('an import of a file with a SOA record replaces everything, and needs the name servers', async () => {
    const world = await open()
    const { api } = world
    await exampleZone(world, { rrsets: [{ name: 'www', type: 'A', labels: { a: 'b' }, records: a(1) }] })
    const load = (zonefile: string) => api.post('/zones/example.com/actions/import_zonefile', { zonefile })
    for (const bad of [soaLine, `${soaLine}\n@ NS ns1.wolke.example.`, `${soaLine}\n${nsLines}\nwww A x`]) {
      const { body } = expect(await load(bad), 422, 'invalid_input')
      assert.equal(body.error.details.fields[0].name, 'zonefile')
    }
    assert.deepEqual(await rrsetsOf(world), { 'www/A': ['192.0.2.1'] })
    const { action } = expect(
      await load(`${soaLine}\n${nsLines}\n$ORIGIN example.com.\n$TTL 7200\nwww A 192.0.2.7\n`),
      201,
    ).body
    assert.equal(action.command, 'import_zonefile')
    const { rrset } = (await api.get(records('www/A'))).body
    assert.deepEqual([rrset.records[0].value, rrset.labels], ['192.0.2.7', {}])
    assert.equal((await api.get('/zones/example.com')).body.zone.ttl, 7200)
  })

  test('an import of a file without a SOA record merges it: its RRSets are added or take the place of theirs', async () => {
    const world = await open()
    const { api } = world
    const rrsets = [
      { name: 'www', type: 'A', ttl: 300, labels: { a: 'b' }, records: a(1, 2) },
      { name: 'www', type: 'TXT', records: [{ value: '"stays"' }] },
      { name: 'other', type: 'A', labels: { c: 'd' }, records: a(9) },
    ]
    await exampleZone(world, { ttl: 3600, rrsets })
    const load = (zonefile: string) => api.post('/zones/example.com/actions/import_zonefile', { zonefile })
    const { action } = expect(await load('www A 192.0.2.7 ; new\nadded 600 MX 10 mail\n'), 201).body
    assert.deepEqual([action.command, action.status], ['import_zonefile', 'success'])
    assert.deepEqual(await rrsetsOf(world), {
      'www/A': ['192.0.2.7'],
      'www/TXT': ['"stays"'],
      'other/A': ['192.0.2.9'],
      'added/MX': ['10 mail'],
    })
    const shown = async (key: string) => (await api.get(records(key))).body.rrset
    const www = await shown('www/A')
    assert.deepEqual([www.ttl, www.labels, www.records[0].comment], [null, { a: 'b' }, 'new'])
    assert.deepEqual([(await shown('added/MX')).ttl, (await shown('other/A')).labels], [600, { c: 'd' }])
    // The TTL of the zone stays, and so does what it is for all others.
    expect(await load('$TTL 120\nshort A 192.0.2.8\n'), 201)
    const { zone } = (await api.get('/zones/example.com')).body
    assert.deepEqual([zone.ttl, zone.record_count, (await shown('short/A')).ttl], [3600, 9, 120])
    assert.match((await shown('@/SOA')).records[0].value, /^ns1\.wolke\.example\. /)
    expect(await load(`${nsLines}\n@ NS ns4.elsewhere.example.`), 201)
    assert.equal((await shown('@/NS')).records.length, 4)
    // Name servers of elsewhere alone do not take the place of ours.
    const foreign = expect(await load('@ NS ns1.elsewhere.example.\nnew A 192.0.2.1'), 201)
    assert.deepEqual(foreign.body.replaced, [{ name: '@', type: 'NS', values: ['ns1.elsewhere.example.'] }])
    assert.equal((await shown('@/NS')).records.length, 4)
    expect(await load('@ NS ns1.elsewhere.example.'), 201)
  })

  test('a file without a SOA record is merged as a whole or not at all', async () => {
    const world = await open({ settings: { zones: { limits: { records: 420, textBytes: 100_000 } } } })
    const { api } = world
    await exampleZone(world, { rrsets: [{ name: 'www', type: 'A', records: a(1) }] })
    expect(await api.post(`${records('www/A')}/actions/change_protection`, { change: true }), 201)
    expect(
      await api.post('/zones/example.com/rrsets', { name: 'alias', type: 'CNAME', records: [{ value: 'www' }] }),
      201,
    )
    const before = await rrsetsOf(world)
    const load = (zonefile: string) => api.post('/zones/example.com/actions/import_zonefile', { zonefile })
    const many = (count: number) => Array.from({ length: count }, (_, place) => `n${place} A 192.0.2.1`).join('\n')
    for (const [zonefile, says] of [
      ['; only a comment', /the file has no records/],
      ['new A 192.0.2.1\nalias A 192.0.2.1', /alias: a name that has a CNAME record has no other records/],
      ['new A 192.0.2.1\n@ NS ns1.wolke.example.', /the NS records of the zone lack ns2\.wolke\.example\., ns3/],
      [many(401), /a file without a SOA record cannot have more than 400 RRSets/],
      [
        `new A 192.0.2.1\n${Array.from({ length: 415 }, (_, n) => `n TXT "${n}"`).join('\n')}`,
        /a zone cannot have more than 420 records/,
      ],
    ] as const) {
      const { body } = expect(await load(zonefile), 422, 'invalid_input')
      const [{ name, messages }] = body.error.details.fields
      assert.equal(name, 'zonefile')
      assert.match(messages[0], says)
    }
    expect(await load('new A 192.0.2.1\nwww A 192.0.2.2'), 423, 'protected')
    assert.deepEqual(await rrsetsOf(world), before)
    // What is protected stays out of the way of all else.
    expect(await load(many(400)), 201)
    assert.equal((await api.get('/zones/example.com')).body.zone.record_count, 406)
  })

  test('the file of a zone that lay elsewhere is adopted: its SOA and NS records give way to ours, and the answer says so', async () => {
    const world = await open()
    const { api } = world
    const soa = 'ns1.elsewhere.example. admin.elsewhere.example. 2026010101 7200 3600 1209600 300'
    const zonefile = [
      '$ORIGIN example.com.',
      '$TTL 1h',
      `@ IN SOA ${soa}`,
      '@ IN NS ns1.elsewhere.example.',
      '@ IN NS ns2',
      'ns2 A 192.0.2.53',
      'sub NS ns1.elsewhere.example.',
      '@ MX 10 mail',
    ].join('\n')
    const replaced = [
      { name: '@', type: 'SOA', values: [soa.replace('2026010101', '0')] },
      { name: '@', type: 'NS', values: ['ns1.elsewhere.example.', 'ns2'] },
    ]
    const made = expect(await api.post('/zones', { name: 'example.com', mode: 'primary', zonefile }), 201)
    assert.deepEqual(made.body.replaced, replaced)
    const adopted = async () => {
      assert.match((await api.get(records('@/SOA'))).body.rrset.records[0].value, /^ns1\.wolke\.example\. hostmaster\./)
      const { rrset } = (await api.get(records('@/NS'))).body
      assert.deepEqual(
        rrset.records.map(({ value }: { value: string }) => value),
        nameservers,
      )
      assert.deepEqual(await rrsetsOf(world), {
        'ns2/A': ['192.0.2.53'],
        '@/MX': ['10 mail'],
      })
    }
    await adopted()
    expect(await api.get(records('sub/NS')), 200)
    expect(await api.delete('/zones/example.com'), 201)
    await exampleZone(world)
    const loaded = expect(await api.post('/zones/example.com/actions/import_zonefile', { zonefile }), 201)
    assert.deepEqual([loaded.body.action.command, loaded.body.replaced], ['import_zonefile', replaced])
    await adopted()
    const exported = (await api.get('/zones/example.com/zonefile')).body.zonefile
    const again = expect(await api.post('/zones/example.com/actions/import_zonefile', { zonefile: exported }), 201)
    assert.equal('replaced' in again.body, false)
  })

  test('a zone of 10,000 names is imported, changed and exported like a small one', async () => {
    const world = await open()
    await exampleZone(world)
    const lines = Array.from({ length: 10_000 }, (_, i) => `n${i} A 192.0.2.${i % 250}`)
    const load = await world.api.post('/zones/example.com/actions/import_zonefile', {
      zonefile: [soaLine, nsLines, ...lines].join('\n'),
    })
    expect(load, 201)
    expect(await world.api.post(`${records('n7/A')}/actions/add_records`, { records: a(255) }), 201)
    assert.equal((await world.api.get('/zones/example.com')).body.zone.record_count, 10_005)
    const { zonefile } = (await world.api.get('/zones/example.com/zonefile')).body
    assert.equal(zonefile.match(/^n\d+\t/gm).length, 10_001)
    const tooMany = Array.from({ length: 20_001 }, (_, i) => `n${i} A 192.0.2.1`)
    const refused = await world.api.post('/zones/example.com/actions/import_zonefile', {
      zonefile: [soaLine, nsLines, ...tooMany].join('\n'),
    })
    expect(refused, 422, 'invalid_input')
  })
})
