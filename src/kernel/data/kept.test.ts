import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeptItems, keptParts } from './kept.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly note: string | null
}

const row: Row = { id: 1, name: 'a', note: null }

test('a row gives the same item until one of its columns is different', () => {
  const kept = new KeptItems((given: Row) => ({ shown: `${given.name} ${given.note}` }))
  const first = kept.of(row)
  assert.equal(kept.of({ ...row }), first)
  assert.deepEqual(kept.of({ ...row, note: '' }), { shown: 'a ' })
  assert.deepEqual(kept.of({ ...row, name: 'b' }), { shown: 'b null' })
  assert.deepEqual(kept.of(row), { shown: 'a null' })
  assert.notEqual(kept.of({ ...row, id: 2 }), kept.of(row))
})

test('neither many rows nor long ones are all kept', () => {
  let made = 0
  const kept = new KeptItems((given: Row) => ({ made: ++made, given }))
  const first = kept.of(row)
  for (let id = 2; id < 2_000; id++) kept.of({ ...row, id })
  assert.notEqual(kept.of(row), first)
  const second = kept.of(row)
  for (let id = 2; id < 20; id++) kept.of({ ...row, id, note: 'x'.repeat(100_000) })
  assert.notEqual(kept.of(row), second)
})

test('a row that changes often takes no place from others', () => {
  const kept = new KeptItems((given: Row) => ({ shown: given.name }))
  const first = kept.of(row)
  for (let change = 0; change < 20; change++) kept.of({ id: 2, name: `${change}`, note: 'x'.repeat(100_000) })
  assert.equal(kept.of(row), first)
})

test('what belongs to somebody gives the same part until it is different, and nothing gives one, too', () => {
  const shown = keptParts(
    ({ of }: { readonly id: number; readonly of: number }) => of,
    (own) => ({ ids: own.map(({ id }) => id) }),
  )
  const all = [
    { id: 1, of: 7 },
    { id: 2, of: 8 },
    { id: 3, of: 7 },
  ]
  const first = shown(all)
  assert.deepEqual([first(7), first(8), first(9)], [{ ids: [1, 3] }, { ids: [2] }, { ids: [] }])
  const again = shown(all.map((one) => ({ ...one })))
  assert.equal(again(7), first(7))
  assert.equal(shown([])(7), first(9))
  assert.deepEqual(shown(all.slice(0, 2))(7), { ids: [1] })
  assert.deepEqual(shown(all.toReversed())(7), { ids: [3, 1] })
  const other = shown([
    { id: 1, of: 7 },
    { id: 4, of: 7 },
  ])
  assert.deepEqual(other(7), { ids: [1, 4] })
})
