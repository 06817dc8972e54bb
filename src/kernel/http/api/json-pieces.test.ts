import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constant, written } from '../../contract/constant.ts'
import { type Json, pieces, toJson } from './json-pieces.ts'

const ids = (count: number) => Array.from({ length: count }, (_, id) => ({ type: 'server', server: { id } }))

const type = constant({ name: 'cx23', prices: [{ net: '1' }], missing: undefined })

const values: readonly unknown[] = [
  {
    servers: [{ id: 1, type, 'a"': null }, { id: 2, type: { ...type }, missing: undefined }, {}, null],
    meta: { page: 1 },
  },
  { images: [type, { ...type }, undefined, type], none: {} },
  { type, of: [[type]] },
  { firewalls: [{ applied_to: [{ applied_to_resources: ids(3_000) }, { applied_to_resources: [] }] }], meta: {} },
  { servers: ids(500).map(({ server }) => ({ ...server, missing: undefined, labels: { 'a"\\b': '\u2028\ud800' } })) },
  { empty: { of: undefined }, list: [undefined, null, [], {}, [[]]], lines: 'x'.repeat(1_000).split('') },
  { [Symbol.iterator.toString()]: 'é'.repeat(100_000), none: null, yes: true, float: 0.1 },
  [ids(10), 'text', 1, null, ids(400)],
  'text',
  null,
]

test('the pieces of a value are its JSON, however small they are', () => {
  for (const value of values) {
    for (const most of [0, 1, 7, 100, 5_000]) assert.equal([...pieces(value, most)].join(''), JSON.stringify(value))
    // What was written once is written the same again.
    assert.equal([...pieces(value)].join(''), JSON.stringify(value))
  }
})

test('no piece is larger than what a turn has time for, unless it is a single text', async () => {
  const large = { firewalls: ids(25).map(({ server }) => ({ ...server, applied_to: ids(1_000) })) }
  const lengths = [...pieces(large)].map(({ length }) => length)
  assert.ok(Math.max(...lengths) < 100_000, `a piece of ${Math.max(...lengths)} characters`)
  assert.equal(textOf(await toJson(large)), JSON.stringify(large))
})

test('what is written already is sent as it is, and nobody looks into it', async () => {
  const json = JSON.stringify(ids(1_000))
  const unread = {
    get servers(): never {
      throw new Error('nobody has to look into it')
    },
  }
  const of = written(unread, json)
  const made = await toJson({ firewalls: [{ id: 1, of, name: 'é' }, written({}, '"short"')], meta: {} })
  assert.equal(textOf(made), `{"firewalls":[{"id":1,"of":${json},"name":"é"},"short"],"meta":{}}`)
  const again = await toJson({ of })
  const shared = (made as readonly Buffer[]).filter((part) => (again as readonly Buffer[]).includes(part))
  assert.deepEqual(
    shared.map(({ length }) => length),
    [json.length],
  )
})

const textOf = (json: Json) => (typeof json === 'string' ? json : Buffer.concat(json).toString())
