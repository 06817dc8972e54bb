/** Zones as a whole: replaced, exported and bounded, whoever else is at work and whatever ends in the middle. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkConsistency } from '../../../../test/kit/consistency.ts'
import { testOlder } from '../../../../test/kit/database/older-database.ts'
import { type Client, forEachDatabase, type World } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { zoneContents } from '../../../migrations/0014-zone-contents.ts'
import type { RecordTypeName } from '../../../protocols/net/dns/rdata.ts'
import { defaultZoneLimits, sizeOf } from '../limits.ts'
import { type Rrset, valueKey, type ZoneRecord } from '../rrsets/domain.ts'
import { rrsetsOf } from '../rrsets/store.ts'
import { Values } from '../rrsets/values.ts'
import { getZone } from '../store.ts'
import { deleteExpired } from './host.ts'

const zonePath = '/zones/example.com'
const records = (path: string) => `${zonePath}/rrsets/${path}`
const a = (...last: number[]) => last.map((octet) => ({ value: `192.0.2.${octet}` }))

async function makeZone({ api }: Pick<World, 'api'>, more: object = {}) {
  return expect(await api.post('/zones', { name: 'example.com', mode: 'primary', ...more }), 201).body.zone
}

async function exported(api: Client): Promise<string> {
  return expect(await api.get(`${zonePath}/zonefile`), 200).body.zonefile
}

const importFile = (api: Client, zonefile: string) => api.post(`${zonePath}/actions/import_zonefile`, { zonefile })

/** The lines of the zone itself, which every file needs. */
const apexOf = (zonefile: string) => zonefile.replace(/^\$.*\n/gm, '')

/** Files have values in their canonical form, whatever they were written like. */
const meant = (type: RecordTypeName, some: readonly ZoneRecord[]) => {
  const values = new Values('example.com', type)
  return some.map(({ value, comment }) => ({ key: valueKey(values, value), comment }))
}

/** All RRSets, without what every change changes. */
async function contentOf(api: Client) {
  const all: Record<string, unknown>[] = []
  for (let page = 1; ; page++) {
    const { rrsets } = expect(await api.get(`${zonePath}/rrsets?per_page=100&page=${page}`), 200).body
    all.push(...rrsets)
    if (rrsets.length < 100) break
  }
  return all
    .filter(({ type }) => type !== 'SOA')
    .map(({ id, type, ttl, records: some }) => ({ id, ttl, records: meant(type as never, some as never) }))
    .sort((x, y) => (String(x.id) < String(y.id) ? -1 : 1))
}

async function rowsOf({ db }: World) {
  const contents = await acrossProjects(db.query).selectFrom('zone_content').selectAll().execute()
  const rrsets = await acrossProjects(db.query).selectFrom('rrset').select('id').execute()
  return { contents, rrsets: rrsets.length }
}

/** Lets as much time pass for what expires as nobody waits for. */
async function expireAll({ db }: World): Promise<void> {
  await db.transact(async ({ query }) => {
    await acrossProjects(query)
      .updateTable('zone_content')
      .set({ expires: 1 })
      .where('expires', 'is not', null)
      .execute()
  })
}

forEachDatabase('What is in zones', (open) => {
  test('an export beside imports and other changes is the zone at one moment', async () => {
    const world = await open()
    await makeZone(world)
    const apex = apexOf(await exported(world.api))
    const names = Array.from({ length: 1_100 }, (_, i) => `n${i}`)
    const file = (octet: number) => apex + names.map((name) => `${name} A 192.0.2.${octet}\n`).join('')
    expect(await importFile(world.api, file(1)), 201)
    let isOver = false
    const imports = async (from: number) => {
      for (let octet = from; octet < from + 3; octet++) expect(await importFile(world.api, file(octet)), 201)
    }
    const exports = async () => {
      let count = 0
      for (; !isOver; count++) {
        const found = (await exported(world.api)).match(/^n\d+\tIN\tA\t.*$/gm)!
        const octets = new Set(found.map((line) => line.split('.').at(-1)))
        assert.deepEqual([found.length, octets.size], [names.length, 1], [...octets].join())
      }
      return count
    }
    const changes = async () => {
      for (let octet = 1; !isOver; octet = (octet % 200) + 1) {
        expect(await world.api.post(`${records('@/NS')}/actions/update_records`, { records: [comment(octet)] }), 200)
      }
    }
    const comment = (octet: number) => ({ value: 'ns1.wolke.example.', comment: String(octet) })
    const writing = Promise.all([imports(10), imports(20), imports(30)]).finally(() => {
      isOver = true
    })
    const [, ...counts] = await Promise.all([writing, exports(), exports(), changes()])
    assert.ok(counts[0]! > 1)
    await checkConsistency(world)
  })

  test('an import that is refused, also by what happens meanwhile, leaves the zone as it was and nothing else', async () => {
    const world = await open()
    await makeZone(world, { rrsets: [{ name: 'www', type: 'A', records: a(1) }] })
    const apex = apexOf(await exported(world.api))
    const many = apex + Array.from({ length: 2_000 }, (_, i) => `n${i} A 192.0.2.1\n`).join('')
    const before = await contentOf(world.api)
    const importing = importFile(world.api, many)
    const protecting = world.api.post(`${records('www/A')}/actions/change_protection`, { change: true })
    const [answer] = await Promise.all([importing, protecting])
    // Whichever came first; now it is protected if it is there.
    if (answer.status === 201) return assert.equal((await contentOf(world.api)).length, 2_002)
    expect(answer, 423, 'protected')
    assert.deepEqual(await contentOf(world.api), before)
    expect(await importFile(world.api, many), 423, 'protected')
    const taken = await world.foreign.post('/zones', { name: 'example.com', mode: 'primary', zonefile: many })
    expect(taken, 409, 'uniqueness_error')
    assert.deepEqual(await rowsOf(world).then(({ contents, rrsets }) => [contents.length, rrsets]), [1, 3])
  })

  test('what a zone had before is kept for those who read it, and then deleted in steps with its labels', async () => {
    const world = await open()
    await makeZone(world, { rrsets: [{ name: 'www', type: 'A', labels: { a: 'b' }, records: a(1) }] })
    const apex = apexOf(await exported(world.api)).replace(/^www.*\n/gm, '')
    const many = apex + Array.from({ length: 500 }, (_, i) => `n${i} A 192.0.2.1\n`).join('')
    for (let i = 0; i < 4; i++) expect(await importFile(world.api, many), 201)
    // What is in the zone and the two before it: whoever replaces one deletes the older ones.
    assert.equal((await rowsOf(world)).contents.length, 3)
    await deleteExpired(world.db)
    assert.equal((await rowsOf(world)).contents.length, 3)
    await checkConsistency(world)
    expect(await world.api.delete(zonePath), 201)
    await expireAll(world)
    await deleteExpired(world.db)
    assert.deepEqual(await rowsOf(world), { contents: [], rrsets: 0 })
    await checkConsistency(world)
  })

  test('imports of one zone come one after the other, and all are done', async () => {
    const world = await open()
    await makeZone(world)
    const apex = apexOf(await exported(world.api))
    const file = (count: number) => apex + Array.from({ length: count }, (_, i) => `n${i} A 192.0.2.1\n`).join('')
    const answers = await Promise.all([1_200, 1_300, 1_400].map((count) => importFile(world.api, file(count))))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    )
    const { record_count: count } = (await world.api.get(zonePath)).body.zone
    assert.ok([1_204, 1_304, 1_404].includes(count), String(count))
    await checkConsistency(world)
  })

  test('a zone cannot grow beyond its limits in any way, and is told which', async () => {
    const limits = { records: 8, textBytes: 640 }
    const world = await open({ settings: { zones: { limits } } })
    const { api } = world
    await makeZone(world, { rrsets: [{ name: 'www', type: 'A', records: a(1, 2) }] })
    const apex = apexOf(await exported(api)).replace(/^www.*\n/gm, '')
    const refused = (answer: Awaited<ReturnType<typeof api.post>>, field: string, limit: string) => {
      const [problem] = expect(answer, 422, 'invalid_input').body.error.details.fields
      assert.equal(problem.name, field)
      assert.match(problem.messages[0], new RegExp(`^a zone cannot have more than ${limit}`))
    }
    const before = await contentOf(api)
    const add = (path: string, body: object) => api.post(`${records(path)}/actions/add_records`, body)
    refused(await add('www/A', { records: a(3, 4, 5) }), 'records', '8 records')
    refused(await add('new/A', { records: a(3, 4, 5) }), 'records', '8 records')
    const five = { name: 'new', type: 'A', records: a(1, 2, 3, 4, 5) }
    refused(await api.post(`${zonePath}/rrsets`, five), 'records', '8 records')
    const set = `${records('www/A')}/actions/set_records`
    refused(await api.post(set, { records: a(1, 2, 3, 4, 5) }), 'records', '8 records')
    refused(
      await importFile(
        api,
        `${apex}${a(1, 2, 3, 4, 5)
          .map(({ value }) => `x A ${value}\n`)
          .join('')}`,
      ),
      'zonefile',
      '8 records',
    )
    const long = { value: '192.0.2.1', comment: 'é'.repeat(200) }
    refused(await api.post(set, { records: [long] }), 'records', '640 bytes as text')
    refused(await api.post(`${records('www/A')}/actions/update_records`, { records: [long] }), 'records', '640 bytes')
    refused(await importFile(api, `${apex}x A 192.0.2.1 ; ${long.comment}`), 'zonefile', '640 bytes')
    const made = { name: 'other.example', mode: 'primary' }
    refused(await api.post('/zones', { ...made, rrsets: [five] }), 'rrsets', '8 records')
    refused(await api.post('/zones', { ...made, zonefile: `x A 192.0.2.1 ; ${long.comment}` }), 'zonefile', '640 bytes')
    assert.deepEqual(await contentOf(api), before)
    expect(await add('www/A', { records: a(3, 4) }), 201)
    expect(await api.post(`${records('www/A')}/actions/remove_records`, { records: a(1) }), 201)
    expect(await add('www/A', { records: a(5) }), 201)
    await checkConsistency(world)
  })

  test('the largest zone is imported again from its export, however its client writes JSON', async () => {
    const world = await open()
    const { api } = world
    await makeZone(world)
    const apex = apexOf(await exported(api))
    const line = (i: number) => `n${i}\tIN\t3600\tTXT\t"${'\\"'.repeat(100)}" ; ${'é'.repeat(255)}\n\n`
    const size = (text: string) => Buffer.byteLength(text)
    const count = Math.floor((defaultZoneLimits.textBytes - 2 * size(apex)) / (size(line(10_000)) + 8))
    expect(await importFile(api, apex + Array.from({ length: count }, (_, i) => line(10_000 + i)).join('')), 201)
    const file = await exported(api)
    assert.ok(size(file) > 0.95 * defaultZoneLimits.textBytes, String(size(file)))
    const escaped = JSON.stringify({ zonefile: file }).replace(
      /[^\x20-\x7e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    expect(await api.post(`${zonePath}/actions/import_zonefile`, escaped), 201)
    assert.equal((await exported(api)).length, file.length)
  })

  test('whatever zone the API accepts, its export is imported as the same zone', async () => {
    const world = await open()
    const { api } = world
    let accepted = 0
    const property = fc.asyncProperty(fc.array(anyRrset, { maxLength: 8 }), async (rrsets) => {
      const answer = await api.post('/zones', { name: 'example.com', mode: 'primary', rrsets })
      if (answer.status === 422) return
      expect(answer, 201)
      accepted++
      try {
        const before = await contentOf(api)
        expect(await importFile(api, await exported(api)), 201)
        assert.deepEqual(await contentOf(api), before)
      } finally {
        expect(await api.delete(zonePath), 201)
      }
    })
    await fc.assert(property, { seed: 20_261_121, numRuns: 40 })
    assert.ok(accepted > 15, `${accepted} zones were accepted`)
  })
})

const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9_-]{0,8}[a-z0-9_])?$/)
const owner = fc.oneof(
  fc.constantFrom('@', '*', 'in', 'a', '3600', 'ns1', '_sip._tcp', '*.sub'),
  fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.')),
)
/** A string of a TXT record as a client may write it: with escapes, quotes, semicolons and parentheses in it. */
const quoted = fc
  .array(fc.constantFrom('a', ' ', ';', '(', ')', '\\"', '\\\\', '\\255', '\\010', '$', '@', '\t', '<', "'"), {
    maxLength: 12,
  })
  .map((parts) => `"${parts.join('')}"`)
const valuesOfType: Readonly<Record<string, fc.Arbitrary<string>>> = {
  A: fc.ipV4(),
  AAAA: fc.ipV6(),
  TXT: fc.array(quoted, { minLength: 1, maxLength: 3 }).map((strings) => strings.join(' ')),
  CNAME: fc.oneof(owner, fc.constant('www.example.net.')),
  MX: owner.map((host) => `10 ${host}`),
  SRV: owner.map((host) => `1 2 5060 ${host}`),
  CAA: quoted.map((text) => `0 issue ${text}`),
  HINFO: fc.tuple(quoted, quoted).map((both) => both.join(' ')),
  PTR: owner,
  NS: owner,
  RP: fc.tuple(owner, owner).map((both) => both.join(' ')),
  HTTPS: fc.constantFrom('1 . alpn="h2,h3" port=8443', '0 other', '1 . key65000="a b;c"'),
}
const comment = fc.oneof(
  fc.constantFrom('', ' ', ' two  spaces ', '; more', '"quoted', '(open', '\u2028', 'é\u00a0'),
  fc.string({ maxLength: 20, unit: 'grapheme' }),
)
const anyRrset = fc.constantFrom(...Object.keys(valuesOfType)).chain((type) =>
  fc.record({
    name: owner,
    type: fc.constant(type),
    ttl: fc.constantFrom(null, 60, 3_600, 2_147_483_647),
    records: fc.array(fc.record({ value: valuesOfType[type]!, comment }), { minLength: 1, maxLength: 3 }),
  }),
)

testOlder(
  'zones of an older version are what they were, with their RRSets',
  zoneContents,
  async ({ db, projectId, created, write, upgrade }) => {
    await write(
      `insert into zone (id, project_id, name, mode, ttl, serial, version, whole_version, record_count, labels, protect_delete, created)
       values (1, ${projectId}, 'example.com', 'primary', 3600, 7, 3, 1, 3, '{}', 0, '${created}')`,
    )
    const texts = [
      { value: '"a"', comment: 'é; {"value":' },
      { value: '"b\\"c"', comment: '' },
    ]
    const records = [[{ value: '192.0.2.1', comment: 'one' }], texts]
    for (const [index, some] of records.entries()) {
      await write(
        `insert into rrset values (${index + 2}, ${projectId}, 1, 'n${index}/TXT', 'n${index}', 'TXT', null,
         '${JSON.stringify(some)}', '{"a":"b"}', ${index}, '${created}')`,
      )
    }
    await upgrade()
    const scope = { projectId }
    const zone = await getZone(db.query, scope, 'example.com')
    const found = (await rrsetsOf(db.query, scope, zone).next()).value as Rrset[]
    assert.deepEqual(
      found.map(({ id, name, records: some, labels, isProtected }) => [id, name, some, labels, isProtected]),
      records.map((some, index) => [index + 2, `n${index}`, some, { a: 'b' }, index === 1]),
    )
    assert.ok(zone.textBytes >= sizeOf(found).textBytes, 'it counts no less than there is')
  },
)
