import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ofRows } from './kept-rows.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly size: number | null
}

function counted() {
  const state = { made: 0 }
  const make = ofRows((row: Row) => ({ ...row, number: ++state.made }))
  return { state, make }
}

test('what was made of a row is made anew when any column is different, also back to what it was', () => {
  const { state, make } = counted()
  const rows: readonly Row[] = [
    { id: 1, name: 'a', size: null },
    { id: 1, name: 'a', size: 0 },
    { id: 1, name: 'b', size: 0 },
    { id: 1, name: 'a', size: null },
    { id: 2, name: 'a', size: null },
  ]
  for (const [index, row] of rows.entries()) {
    const { number, ...made } = make(row)
    assert.deepEqual(made, row)
    assert.equal(number, index + 1)
    assert.equal(make({ ...row }), make(row))
  }
  assert.equal(state.made, rows.length)
})

test('what is made of long rows, and of more than are kept, is not kept', () => {
  const { state, make } = counted()
  const long = { id: 1, name: 'x'.repeat(5_000), size: 1 }
  assert.notEqual(make(long), make(long))
  for (let id = 1; id <= 2_001; id++) make({ id, name: 'a', size: 1 })
  const before = state.made
  make({ id: 2_001, name: 'a', size: 1 })
  assert.equal(state.made, before)
  make({ id: 1, name: 'a', size: 1 })
  assert.equal(state.made, before + 1)
})
