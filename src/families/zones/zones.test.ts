import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dump } from '../../../test/kit/database/dump.ts'
import { forEachDatabase } from '../../../test/kit/harness.ts'
import { expect } from '../../../test/kit/resources.ts'
import { a, exampleZone, nameservers, nsLines, records, serialOf, soaLine } from './proof.ts'

forEachDatabase('Zones', (open) => {
  test('a new primary zone has SOA and NS records, its name servers, and an action that is done', async () => {
    const world = await open()
    const { body } = await world.api.post('/zones', { name: 'example.com', mode: 'primary', labels: { env: 'prod' } })
    const { zone, action } = body
    assert.deepEqual(zone, {
      id: zone.id,
      name: 'example.com',
      created: '2026-11-21T12:00:00Z',
      ttl: 3600,
      mode: 'primary',
      primary_nameservers: [],
      protection: { delete: false },
      labels: { env: 'prod' },
      authoritative_nameservers: {
        assigned: nameservers,
        delegated: [],
        delegation_last_check: null,
        delegation_status: 'unknown',
      },
      registrar: 'other',
      status: 'ok',
      record_count: 4,
    })
    assert.deepEqual([action.command, action.status, action.progress], ['create_zone', 'success', 100])
    assert.deepEqual(action.resources, [{ id: zone.id, type: 'zone' }])
    const { rrsets } = (await world.api.get('/zones/example.com/rrsets')).body
    assert.deepEqual(
      rrsets.map(({ id, ttl }: { id: string; ttl: unknown }) => [id, ttl]),
      [
        ['@/SOA', null],
        ['@/NS', null],
      ],
    )
    assert.equal(
      rrsets[0].records[0].value,
      'ns1.wolke.example. hostmaster.wolke.example. 2026112100 86400 10800 3600000 3600',
    )
  })

  test('it is found by its id and its name, in paths and in lists, by its own Project alone', async () => {
    const world = await open()
    const zone = await exampleZone(world)
    await exampleZone(world, { name: 'other.example', labels: { a: 'b' } })
    for (const key of [zone.id, 'example.com']) {
      assert.deepEqual((await world.api.get(`/zones/${key}`)).body.zone, zone)
      expect(await world.api.get(`/zones/${key}/actions`), 200)
      expect(await world.foreign.get(`/zones/${key}`), 404, 'not_found')
    }
    const names = async (query: string) =>
      (await world.api.get(`/zones?${query}`)).body.zones.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names('name=example.com'), ['example.com'])
    assert.deepEqual(await names('mode=secondary'), [])
    assert.deepEqual(await names('label_selector=a'), ['other.example'])
    assert.deepEqual(await names('sort=name:desc'), ['other.example', 'example.com'])
  })

  test('a name is one zone on the whole installation, and must be registrable', async () => {
    const world = await open()
    await exampleZone(world)
    const taken = await world.foreign.post('/zones', { name: 'example.com', mode: 'primary' })
    assert.deepEqual(expect(taken, 409, 'uniqueness_error').body.error.details, { fields: [{ name: 'name' }] })
    for (const name of ['com', 'www.example.org', 'Example.org', 'example.org.', 'münchen.de']) {
      const { body } = expect(await world.api.post('/zones', { name, mode: 'primary' }), 422, 'invalid_input')
      assert.equal(body.error.details.fields[0].name, 'name', name)
    }
  })

  test('it is created with RRSets or from a zone file, not with both', async () => {
    const world = await open()
    const rrsets = [
      { name: 'www', type: 'A', ttl: 300, labels: { l: '1' }, records: [{ value: '192.0.2.1', comment: 'first' }] },
      { name: '@', type: 'MX', records: [{ value: '10 mail' }] },
    ]
    const zone = await exampleZone(world, { ttl: 10800, rrsets })
    assert.deepEqual([zone.ttl, zone.record_count], [10800, 6])
    const { rrset } = (await world.api.get(records('www/A'))).body
    assert.deepEqual(rrset, {
      id: 'www/A',
      name: 'www',
      type: 'A',
      ttl: 300,
      labels: { l: '1' },
      protection: { change: false },
      records: [{ value: '192.0.2.1', comment: 'first' }],
      zone: zone.id,
    })
    const zonefile = '$TTL 600\nwww\tIN\tA\t192.168.0.2 ; private\n@ 300 IN CAA 0 issue "ca.example"'
    const made = await exampleZone(world, { name: 'file.example', zonefile })
    assert.deepEqual([made.ttl, made.record_count], [600, 6])
    const both = await world.api.post('/zones', { name: 'both.example', mode: 'primary', rrsets, zonefile })
    const fields = expect(both, 422, 'invalid_input').body.error.details.fields
    assert.deepEqual(
      fields.map(({ name }: { name: string }) => name),
      ['rrsets', 'zonefile'],
    )
  })

  test('what is wrong with its RRSets is told with their places, and nothing is left behind', async () => {
    const { api } = await open()
    const cases: [object, string][] = [
      [{ name: 'www', type: 'A', records: [{ value: 'x' }] }, 'rrsets[0].records[0].value'],
      [{ name: 'WWW', type: 'A', records: a(1) }, 'rrsets[0].name'],
      [{ name: 'www', type: 'A', records: a(1, 1) }, 'rrsets[0]'],
      [{ name: '@', type: 'CNAME', records: [{ value: 'www' }] }, 'rrsets[0]'],
      [{ name: '@', type: 'SOA', records: [{ value: 'a b 1 2 3 4 5' }] }, 'rrsets[0]'],
      [{ name: '@', type: 'NS', records: [{ value: 'ns.elsewhere.example.' }] }, 'rrsets'],
    ]
    for (const [rrset, field] of cases) {
      const answer = await api.post('/zones', { name: 'example.com', mode: 'primary', rrsets: [rrset] })
      assert.equal(expect(answer, 422, 'invalid_input').body.error.details.fields[0].name, field, answer.text)
    }
    expect(await api.get('/zones/example.com'), 404)
  })

  test('labels and TTL change; protection keeps it from deletion and from nothing else', async () => {
    const world = await open()
    const { api } = world
    await exampleZone(world)
    assert.deepEqual((await api.put('/zones/example.com', { labels: { x: 'y' } })).body.zone.labels, { x: 'y' })
    expect(await api.post('/zones/example.com/actions/change_protection', { delete: true }), 201)
    expect(await api.post('/zones/example.com/actions/change_ttl', { ttl: 600 }), 201)
    expect(await api.post('/zones/example.com/rrsets', { name: 'www', type: 'A', records: a(1) }), 201)
    const { zone } = (await api.get('/zones/example.com')).body
    assert.deepEqual([zone.ttl, zone.protection.delete, zone.record_count], [600, true, 5])
    expect(await api.delete('/zones/example.com'), 423, 'protected')
    expect(await api.post('/zones/example.com/actions/change_protection', { delete: false }), 201)
    const { action } = expect(await api.delete('/zones/example.com'), 201).body
    assert.deepEqual([action.command, action.status], ['delete_zone', 'success'])
    assert.equal((await api.get(`/actions/${action.id}`)).body.action.status, 'success')
    assert.equal((await api.get(`/zones/${zone.id}/actions/${action.id}`)).body.action.id, action.id)
    expect(await api.get('/zones/example.com'), 404)
    await exampleZone(world)
  })

  test('a secondary zone has primaries, whose addresses are public, and no RRSets of its own', async () => {
    const { api } = await open()
    const create = (primary_nameservers?: object[]) =>
      api.post('/zones', { name: 'example.com', mode: 'secondary', primary_nameservers })
    const privates = [
      '10.0.0.1',
      '198.18.0.1',
      '192.0.0.8',
      '2002:a00:1::1',
      '2001::1',
      '64:ff9b:1::1',
      '::ffff:0:a00:1',
    ]
    const refused = privates.map((address) => [{ address }])
    for (const bad of [undefined, [], ...refused, [{ address: '203.0.113.1', tsig_key: 'AAAA' }]]) {
      expect(await create(bad), 422, 'invalid_input')
    }
    const { zone } = expect(await create([{ address: '203.0.113.1' }]), 201).body
    const primary = { address: '203.0.113.1', port: 53, tsig_algorithm: null, tsig_key: null }
    assert.deepEqual([zone.primary_nameservers, zone.record_count, zone.ttl], [[primary], 0, 3600])
    assert.equal(zone.status, 'updating', 'it has nothing to serve yet')
    assert.equal(zone.authoritative_nameservers.assigned.length, 3)
    expect(await api.get('/zones/example.com/rrsets'), 422, 'incorrect_zone_mode')
  })

  test('keys of primaries are sealed, and shown to who may write alone', async () => {
    const { api, readOnly, db } = await open()
    const given = { name: 'example.com', mode: 'secondary', primary_nameservers: [{ address: '203.0.113.1' }] }
    expect(await api.post('/zones', given), 201)
    const signed = { address: '2001:db8::1', port: 5353, tsig_algorithm: 'hmac-sha256', tsig_key: 'c2VjcmV0' }
    const change = await api.post('/zones/example.com/actions/change_primary_nameservers', {
      primary_nameservers: [signed],
    })
    expect(change, 201)
    expect(await api.post('/zones/example.com/actions/change_ttl', { ttl: 10800 }), 201)
    const after = (await api.get('/zones/example.com')).body.zone
    assert.deepEqual([after.primary_nameservers, after.ttl], [[signed], 10800])
    assert.ok(!(await dump(db)).includes(signed.tsig_key))
    const hidden = [{ ...signed, tsig_key: null }]
    assert.deepEqual((await readOnly.get('/zones/example.com')).body.zone.primary_nameservers, hidden)
    assert.deepEqual((await readOnly.get('/zones')).body.zones[0].primary_nameservers, hidden)
  })

  // ---- RRSets -------------------------------------------------------------------------------------------------------

  test('records are added, removed, replaced and commented on; the last one takes the RRSet with it', async () => {
    const world = await open()
    const { api } = world
    await exampleZone(world)
    const act = async (action: string, list: object[], more: object = {}) =>
      expect(
        await api.post(`${records('www/A')}/actions/${action}`, { records: list, ...more }),
        action === 'update_records' ? 200 : 201,
      ).body.action.command
    const shown = async () => (await api.get(records('www/A'))).body.rrset.records
    assert.equal(await act('add_records', a(2, 1), { ttl: 300 }), 'add_rrset_records')
    assert.deepEqual(await shown(), [
      { value: '192.0.2.2', comment: '' },
      { value: '192.0.2.1', comment: '' },
    ])
    assert.equal((await api.get(records('www/A'))).body.rrset.ttl, 300)
    await act('add_records', a(3), { ttl: 300 })
    await act('add_records', a(4), { ttl: null })
    const other = expect(await api.post(`${records('www/A')}/actions/add_records`, { records: a(5), ttl: 600 }), 422)
    assert.match(other.body.error.message, /has differing record TTLs$/)
    expect(await api.post(`${records('plain/A')}/actions/add_records`, { records: a(1) }), 201)
    // The TTL of the zone is the one in force where an RRSet has none.
    expect(await api.post(`${records('plain/A')}/actions/add_records`, { records: a(2), ttl: 3600 }), 201)
    assert.equal((await api.get(records('plain/A'))).body.rrset.ttl, null)
    expect(await api.delete(records('plain/A')), 201)
    assert.equal(await act('update_records', [{ value: '192.0.2.1', comment: 'mine' }]), 'update_rrset_records')
    assert.equal(await act('remove_records', a(2, 3, 4)), 'remove_rrset_records')
    assert.deepEqual(await shown(), [{ value: '192.0.2.1', comment: 'mine' }])
    assert.equal(await act('set_records', [{ value: '192.0.2.9', comment: 'new' }]), 'set_rrset_records')
    assert.deepEqual(await shown(), [{ value: '192.0.2.9', comment: 'new' }])
    assert.equal((await api.get('/zones/example.com')).body.zone.record_count, 5)
    await act('remove_records', a(9))
    expect(await api.get(records('www/A')), 404, 'not_found')
    assert.equal((await api.get('/zones/example.com')).body.zone.record_count, 4)
  })

  test('values come back as they were written, and are found however they are written', async () => {
    const world = await open()
    const { api } = world
    await exampleZone(world)
    const written = [
      ['AAAA', '2001:DB8:1:2::0', '2001:db8:1:2::'],
      ['CAA', '0 issue ca.example', '0  issue "ca.example"'],
      ['MX', '10  Mail.Example.NET.', '10 mail.example.net.'],
      ['TXT', '"a"  "b"', '"\\097" "b"'],
      ['CNAME', 'Target', 'target.example.com.'],
    ] as const
    for (const [type, value, same] of written) {
      const name = type.toLowerCase()
      const made = await api.post('/zones/example.com/rrsets', { name, type, records: [{ value }] })
      assert.deepEqual(expect(made, 201).body.rrset.records, [{ value, comment: '' }])
      const twice = await api.post(`${records(`${name}/${type}`)}/actions/add_records`, { records: [{ value: same }] })
      assert.match(
        expect(twice, 422, 'invalid_input').body.error.message,
        type === 'CNAME' ? /one CNAME/ : /^duplicate value/,
      )
      const set = await api.post(`${records(`${name}/${type}`)}/actions/set_records`, { records: [{ value: same }] })
      expect(set, 201)
      assert.equal((await api.get(records(`${name}/${type}`))).body.rrset.records[0].value, same)
      expect(await api.post(`${records(`${name}/${type}`)}/actions/remove_records`, { records: [{ value }] }), 201)
      expect(await api.get(records(`${name}/${type}`)), 404)
    }
  })

  test('a refusal says in its message what is wrong with a record', async () => {
    const world = await open()
    const { api } = world
    await exampleZone(world)
    const post = (path: string, type: string, value: string) =>
      api.post(`${records(`${path}/${type}`)}/actions/add_records`, { records: [{ value }] })
    for (const [answer, message] of [
      [await post('www', 'A', '192.0.2.256'), /^invalid input in field 'records\[0\]\.value': is no value of type A: /],
      [await post('www', 'TXT', `"${'x'.repeat(256)}"`), /a string has more than 255 bytes/],
      [await post('www', 'HTTPS', '1 . alpn=h2 ech=AEj+DQ=='), /has no ECHConfigList in the parameter 'ech'/],
      [await post('www.', 'A', '192.0.2.1'), /^invalid input in field 'rr_name': must be relative to the zone/],
    ] as const) {
      assert.match(expect(answer, 422, 'invalid_input').body.error.message, message)
    }
  })

  test('what is not there cannot be removed, replaced or commented on; what is there cannot be added', async () => {
    const world = await open()
    const { api } = world
    await exampleZone(world, { rrsets: [{ name: 'www', type: 'AAAA', records: [{ value: '2001:db8::1' }] }] })
    const act = (path: string, action: string, list: object[], more: object = {}) =>
      api.post(`${records(path)}/actions/${action}`, { records: list, ...more })
    const value = [{ value: '2001:db8::2', comment: '' }]
    for (const action of ['remove_records', 'set_records', 'update_records']) {
      expect(await act('other/AAAA', action, value), 404, 'not_found')
    }
    expect(await act('www/AAAA', 'remove_records', value), 422, 'invalid_input')
    expect(await act('www/AAAA', 'update_records', value), 422, 'invalid_input')
    // Clients that add a value twice recognise the refusal by how its message begins.
    for (const [path, action, list] of [
      ['www/AAAA', 'add_records', [{ value: '2001:DB8:0::1' }]],
      ['www/AAAA', 'set_records', [...value, ...value]],
      ['new/AAAA', 'add_records', [...value, ...value]],
    ] as const) {
      const refused = expect(await act(path, action, [...list]), 422, 'invalid_input')
      assert.match(refused.body.error.message, /^duplicate value 2001:db8:0?:/i)
      assert.equal(refused.body.error.details.fields[0].name, 'records')
    }
    expect(await act('www/AAAA', 'add_records', value, { ttl: 60 }), 422, 'invalid_input')
    expect(
      await api.post('/zones/example.com/rrsets', { name: 'www', type: 'AAAA', records: value }),
      409,
      'uniqueness_error',
    )
    expect(await act('www/NONE', 'add_records', value), 404, 'not_found')
  })

  test('an alias stands alone; the SOA record is changed and never made or deleted', async () => {
    const world = await open()
    const { api } = world
    await exampleZone(world, { rrsets: [{ name: 'www', type: 'A', records: a(1) }] })
    const make = (name: string, type: string, ...values: string[]) =>
      api.post('/zones/example.com/rrsets', { name, type, records: values.map((value) => ({ value })) })
    expect(await make('www', 'CNAME', 'a'), 422, 'invalid_input')
    expect(await make('alias', 'CNAME', 'a', 'b'), 422, 'invalid_input')
    expect(await make('alias', 'CNAME', 'www'), 201)
    expect(await make('alias', 'A', '192.0.2.1'), 422, 'invalid_input')
    expect(await make('@', 'SOA', 'a b 1 2 3 4 5'), 409, 'uniqueness_error')
    expect(await api.delete(records('@/SOA')), 422, 'invalid_input')
    const before = await serialOf(world)
    const value = 'ns1.wolke.example. me.example.com. 0 86400 10800 3600000 600'
    expect(await api.post(`${records('@/SOA')}/actions/set_records`, { records: [{ value }] }), 201)
    const { rrset } = (await api.get(records('@/SOA'))).body
    assert.equal(rrset.records[0].value, value.replace(' 0 ', ` ${before + 1} `))
  })

  test('the serial grows with every change of what is answered', async () => {
    const world = await open()
    const { api } = world
    await exampleZone(world)
    const steps: [string, object | undefined][] = [
      ['www/A/actions/add_records', { records: a(1) }],
      ['www/A/actions/set_records', { records: a(2) }],
      ['www/A/actions/change_ttl', { ttl: 60 }],
      ['www/A/actions/remove_records', { records: a(2) }],
    ]
    let last = await serialOf(world)
    for (const [path, body] of steps) {
      expect(await api.post(records(path), body), 201)
      const serial = await serialOf(world)
      assert.equal(serial, last + 1, path)
      last = serial
    }
    world.clock.set('2026-11-22T00:00:00Z')
    expect(await api.post('/zones/example.com/actions/change_ttl', { ttl: 600 }), 201)
    assert.equal(await serialOf(world), 2026112200)
  })

  test('what is protected is changed by nobody, and with it the zone is neither deleted nor replaced', async () => {
    const world = await open()
    const { api } = world
    await exampleZone(world, { rrsets: [{ name: 'www', type: 'A', records: a(1) }] })
    const protect = (change: boolean) => api.post(`${records('www/A')}/actions/change_protection`, { change })
    assert.equal(expect(await protect(true), 201).body.action.command, 'change_rrset_protection')
    const refused = [
      await api.delete(records('www/A')),
      await api.post(`${records('www/A')}/actions/add_records`, { records: a(2) }),
      await api.post(`${records('www/A')}/actions/change_ttl`, { ttl: 60 }),
      await api.delete('/zones/example.com'),
      await api.post('/zones/example.com/actions/import_zonefile', { zonefile: `${soaLine}\n${nsLines}` }),
    ]
    for (const answer of refused) {
      assert.equal(expect(answer, 423, 'protected').body.error.message, 'RRSet(s) is/are change protected')
    }
    assert.deepEqual((await api.put(records('www/A'), { labels: { a: 'b' } })).body.rrset.labels, { a: 'b' })
    expect(await protect(false), 201)
    expect(await api.delete(records('www/A')), 201)
  })

  test('PUT changes labels alone', async () => {
    const world = await open()
    await exampleZone(world, { rrsets: [{ name: 'www', type: 'A', records: a(1) }] })
    const { body } = expect(await world.api.put(records('www/A'), { records: a(2) }), 422, 'invalid_input')
    assert.equal(body.error.message, "can't update records with this endpoint")
  })

  test('RRSets are listed by name, type and label, 100 to a page', async () => {
    const world = await open()
    const many = Array.from({ length: 110 }, (_, i) => ({
      name: `n${i}`,
      type: 'A',
      records: a(1),
      ...(i === 7 ? { labels: { lucky: '7' } } : {}),
    }))
    await exampleZone(world, { rrsets: many })
    const list = async (query: string) => {
      const { rrsets, meta } = expect(await world.api.get(`/zones/example.com/rrsets?${query}`), 200).body
      return { ids: rrsets.map(({ id }: { id: string }) => id), total: meta.pagination.total_entries }
    }
    assert.equal((await list('per_page=100')).ids.length, 100)
    assert.deepEqual(await list('name=n7'), { ids: ['n7/A'], total: 1 })
    assert.deepEqual((await list('type=SOA&type=NS')).ids, ['@/SOA', '@/NS'])
    assert.deepEqual((await list('label_selector=lucky')).ids, ['n7/A'])
    assert.deepEqual((await list('sort=id:asc&per_page=2&name=@')).ids, ['@/NS', '@/SOA'])
    const { pagination } = expect(await world.api.get('/zones/example.com/rrsets?per_page=101'), 200).body.meta
    assert.equal(pagination.per_page, 100)
  })

  test('writes that race are all done: on one RRSet that was not there, and on one zone', async () => {
    const world = await open()
    await exampleZone(world)
    const add = (last: number) => world.api.post(`${records('www/A')}/actions/add_records`, { records: a(last) })
    const others = [
      () => world.api.post('/zones/example.com/actions/change_ttl', { ttl: 600 }),
      () => world.api.post('/zones/example.com/actions/change_protection', { delete: true }),
      () => world.api.post('/zones/example.com/rrsets', { name: 'mail', type: 'A', records: a(1) }),
    ]
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, i) => add(i + 1)),
      ...others.map((send) => send()),
    ])
    for (const answer of answers) expect(answer, 201)
    const { records: all } = (await world.api.get(records('www/A'))).body.rrset
    assert.equal(all.length, 20)
    assert.equal((await world.api.get('/zones/example.com')).body.zone.record_count, 25)
    assert.equal(await serialOf(world), 2026112122)
  })
})
