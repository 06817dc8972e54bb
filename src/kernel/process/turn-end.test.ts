import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atEndOfTurn, endTurn } from './turn-end.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('what is left for the end of a turn is done then, in order, and once', async () => {
  const done: string[] = []
  atEndOfTurn(() => done.push('a'))
  atEndOfTurn(() => done.push('b'))
  await Promise.resolve()
  assert.equal(done.join(''), '')
  await nextTurn()
  assert.equal(done.join(''), 'ab')
  atEndOfTurn(() => done.push('c'))
  endTurn()
  assert.equal(done.join(''), 'abc')
  await nextTurn()
  atEndOfTurn(() => atEndOfTurn(() => done.push('d')))
  await nextTurn()
  await nextTurn()
  assert.equal(done.join(''), 'abcd')
})

test('much of it does not wait for the end', () => {
  let done = 0
  for (let i = 0; i < 100; i++) atEndOfTurn(() => done++)
  assert.ok(done >= 50, String(done))
})
