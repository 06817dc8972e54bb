/**
 * What is longer than a field can be is refused by its field, before anything looks into it: one long value must not hold
 * everybody's time. How long each takes is measured by `npm run bench -- --only parsers`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forProjects, type World } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'

const long = 400_000
const text = (unit: string, length = long) => unit.repeat(Math.floor(length / unit.length))

/** Records with one value that DNS does not permit, and what is said of it. */
const values: readonly (readonly [type: string, data: string, message: RegExp])[] = [
  ['A', text('1'), /./],
  ['AAAA', text('1:'), /./],
  ['CAA', `0 issue "${text('\\065', 300_000)}"`, /the value has more than 65535 bytes$/],
  ['CAA', `0 issue "${text('x', 100_000)}"`, /the value has more than 65535 bytes$/],
  ['CNAME', text('a.', 100_000), /the name is longer than 255 bytes$/],
  ['DS', `1 8 2 ${text('ab', 200_000)}`, /has more than 65535 bytes of data$/],
  ['HINFO', `"${text('\\065', 200_000)}" "x"`, /a string has more than 255 bytes$/],
  ['HTTPS', `1 . alpn=${text('h2,', 200_000)}h2`, /has more than 65535 bytes in 'alpn'$/],
  ['HTTPS', `1 . ipv4hint=${text('1.2.3.4,', 200_000)}1.2.3.4`, /has more than 65535 bytes in 'ipv4hint'$/],
  ['SVCB', `1 . ipv6hint=${text('::1,', 200_000)}::1`, /has more than 65535 bytes in 'ipv6hint'$/],
  ['SVCB', `1 . dohpath=${text('\\065', 300_000)}`, /has more than 65535 bytes in 'dohpath'$/],
  ['TLSA', `3 1 1 ${text('ab', 200_000)}`, /has more than 65535 bytes of data$/],
  ['TXT', `"${text('\\065', 200_000)}"`, /a string has more than 255 bytes$/],
  ['TXT', `\\# 100000 ${text('ab', 200_000)}`, /has more than 65535 bytes of data$/],
  ...['\\065', 'x', '"" ', '\\x', ' '].map((unit) => ['TXT', `"${text(unit)}"`, /is too long: it can have/] as const),
  ['TXT', text('"" '), /is too long: it can have/],
  ['TXT', `x${text('""')}`, /is too long: it can have/],
  ['TXT', `"${text('x')}`, /is too long: it can have/],
]

forProjects('A value that is longer than its field can be', (openWorld) => {
  const fieldsOf = ({ text }: { text: string }) => JSON.parse(text).error.details.fields
  const makeZone = ({ api }: World) => api.post('/zones', { name: 'example.com', mode: 'primary' })

  test('is refused in a zone file by its line', async () => {
    const world = await openWorld({ runActions: false })
    expect(await makeZone(world), 201)
    for (const [type, data, message] of values) {
      const zonefile = `www A 192.0.2.1\na ${type} ${data}\n`
      const answer = await world.api.post('/zones/example.com/actions/import_zonefile', { zonefile })
      const [{ name, messages }] = fieldsOf(expect(answer, 422, 'invalid_input'))
      assert.equal(name, 'zonefile', type)
      assert.match(messages[0], /^line 2 /)
      assert.match(messages[0], message, `${type} ${data.slice(0, 40)}`)
    }
    const owner = await world.api.post('/zones', {
      name: 'a.com',
      mode: 'primary',
      zonefile: `${text('\\065', 4_000)} A 1.2.3.4`,
    })
    assert.match(
      fieldsOf(expect(owner, 422, 'invalid_input'))[0].messages[0],
      /^line 1 has an owner that is longer than 255 bytes$/,
    )
    const all = text('a TXT "x"\n') + text('"', 200)
    expect(await world.api.post('/zones', { name: 'a.com', mode: 'primary', zonefile: all }), 422, 'invalid_input')
  })

  test('is refused in records by their place, and records that are too many together by theirs', async () => {
    const world = await openWorld({ alone: true, runActions: false })
    expect(await makeZone(world), 201)
    const create = (records: readonly object[]) =>
      world.api.post('/zones/example.com/rrsets', { name: 'a', type: 'TXT', records })
    const first = await create([{ value: '"x"' }, { value: `"${text('x', 20_000)}"` }])
    assert.deepEqual(fieldsOf(expect(first, 422, 'invalid_input')), [
      { name: 'records[1].value', messages: ['must not have more than 16384 characters'] },
    ])
    const string = await create([{ value: `"${text('\\065', 16_000)}"` }])
    assert.deepEqual(fieldsOf(expect(string, 422, 'invalid_input')), [
      { name: 'records[0].value', messages: ['is no value of type TXT: a string has more than 255 bytes'] },
    ])
    const strings = (mark: number) => ({ value: `"${mark}" ${text(`"${'x'.repeat(255)}" `, 16_000)}`.trim() })
    const many = await create(Array.from({ length: 5 }, (_, mark) => strings(mark)))
    assert.deepEqual(fieldsOf(expect(many, 422, 'invalid_input')), [
      { name: 'records', messages: ['an RRSet cannot have more than 60000 bytes of data'] },
    ])
  })

  test('is refused in a body by its field, however many marks its characters are combined with', async () => {
    const { api } = await openWorld({ runActions: false })
    const name = (await api.post('/ssh_keys', { name: text('e\u0301', 60_000), public_key: 'ssh-rsa AAAA' })) as never
    assert.deepEqual(fieldsOf(expect(name, 422, 'invalid_input')), [
      { name: 'name', messages: ['must not have more than 255 characters'] },
    ])
    for (const key of [`ssh-rsa ${text('=', 16_000)}A`, `ssh-rsa A${text('=', 16_000)}`]) {
      const answer = await api.post('/ssh_keys', { name: 'key', public_key: key })
      assert.equal(fieldsOf(expect(answer, 422, 'invalid_input'))[0].name, 'public_key')
    }
    const rrsets = await api.post('/zones', { name: 'a.com', mode: 'primary', rrsets: Array(19_000).fill({}) })
    assert.deepEqual(fieldsOf(expect(rrsets, 422, 'invalid_input')), [
      { name: 'rrsets', messages: ['must not have more than 1000 items'] },
    ])
    const labels = Object.fromEntries(Array.from({ length: 990 }, (_, place) => [text('~/', 100) + place, 1]))
    for (const path of ['/zones', '/ssh_keys', '/servers']) {
      const many = await api.post(path, { name: 'a.com', mode: 'primary', labels })
      assert.deepEqual(fieldsOf(expect(many, 422, 'invalid_input')), [
        { name: 'labels', messages: ['must not have more than 64 properties'] },
      ])
    }
    const unknown = await api.post('/zones', { name: 'a.com', mode: 'primary', [text('~/', 1_000)]: 1 })
    const [field] = fieldsOf(expect(unknown, 422, 'invalid_input'))
    assert.deepEqual(field, { name: text('~/', 80), messages: ['unknown field'] })
  })

  test('is refused before the body is read when it is a key, a number or nothing but white space', async () => {
    const { api } = await openWorld({ runActions: false })
    const post = async (body: string, message: RegExp) => {
      const answer = await api.request('POST', '/zones', { body })
      assert.match(expect(answer, 400, 'json_error').body.error.message, message)
    }
    await post(`{"${text('~/')}":1}`, /a key of the JSON cannot have more than 1024 bytes$/)
    await post(`{"name":${text('1')}}`, /a number of the JSON cannot have more than 1024 bytes$/)
    await post(`{"name":${text(' ')}1}`, /a stretch of white space of the JSON cannot have more than 65536 bytes$/)
    await post(`{"name":"${text('\\u0041')}"`, /is not valid JSON$/)
    await post(`{"name":"${text('a')}\\ud800"}`, /half a surrogate pair$/)
    await post(`{"name":"${text('a')}","__proto__":1}`, /'__proto__' is not allowed$/)
  })
})
