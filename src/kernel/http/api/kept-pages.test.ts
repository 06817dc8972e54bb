import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constant } from '../../contract/constant.ts'
import { toJson } from './json-pieces.ts'

const entry = (id: number) => constant({ id, name: `é ${id}` })
const [a, b, c] = [entry(1), entry(2), entry(3)]

test('a list is what it says, whichever lists were sent before', () => {
  const lists: readonly object[] = [
    { entries: [a, b], meta: { page: 1 } },
    { entries: [a, b], meta: { page: 2 } },
    { entries: [a, c], meta: { page: 1 } },
    { entries: [a], meta: { page: 1 } },
    { entries: [a, b, c], meta: { page: 1 } },
    { others: [a, b], meta: { page: 1 } },
    { entries: [a, b] },
    { entries: [a, { ...b }], meta: { page: 1 } },
    { entries: [a, undefined], meta: { page: 1 } },
    { entries: [], meta: { page: 1 } },
    { entries: [{ ...a, name: 'b' }, b], meta: { page: 1 } },
    { entries: [a, b], meta: { page: 1, last: undefined } },
    { entries: [a, b], meta: { page: 1, last: null } },
    { entries: [a, b], meta: { last: null, page: 1 } },
    { entries: [a, b], meta: { page: '1' } },
    { entries: [a, b], meta: [1] },
    { entries: [a, b], meta: { 0: 1 } },
    { meta: { page: 1 }, entries: [a, b] },
  ]
  for (const list of [...lists, ...lists.toReversed(), ...lists]) assert.equal(toJson(list), JSON.stringify(list))
})

test('an entry that is not constant may change between two answers', () => {
  const entries: object[] = [a, { id: 2 }]
  assert.equal(toJson({ entries }), JSON.stringify({ entries }))
  Object.assign(entries[1]!, { id: 4 })
  assert.equal(toJson({ entries }), JSON.stringify({ entries }))
  entries[1] = b
  assert.equal(toJson({ entries }), JSON.stringify({ entries }))
  // Whoever keeps a list must not keep what the caller has of it.
  entries[1] = c
  assert.equal(toJson({ entries }), JSON.stringify({ entries }))
  const meta = { page: 1 }
  assert.equal(toJson({ entries, meta }), JSON.stringify({ entries, meta }))
  meta.page = 2
  assert.equal(toJson({ entries, meta }), JSON.stringify({ entries, meta }))
})

test('many lists make room for each other', () => {
  for (let page = 0; page < 2_000; page++) {
    const list = { entries: [constant({ text: 'x'.repeat(4_000), page }), a], meta: { page } }
    assert.equal(toJson(list), JSON.stringify(list))
  }
  for (const page of [0, 1, 2, 0, 1, 2]) {
    for (let last = 0; last < 20; last++) {
      const list = { entries: [a, b], meta: { page, last } }
      assert.equal(toJson(list), JSON.stringify(list))
    }
  }
})
