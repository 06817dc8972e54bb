import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderEdition, renderEditions } from './edition.ts'

test('the editions of the bundle are those that the sources render, from long ago to the last known change', () => {
  const editions = renderEditions()
  assert.equal(editions[0]?.from, 0)
  for (const date of ['1970-01-01', '2022-01-01', '2026-06-30', '2026-07-01', '2026-11-21', '2030-01-01']) {
    const at = Date.parse(date)
    const { document, page } = editions.findLast(({ from }) => from <= at)!
    assert.deepEqual({ document, page }, renderEdition(at), date)
  }
})
