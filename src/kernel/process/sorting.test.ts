import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sortSteps } from './sorting.ts'

test('sortSteps does what a sort does, in parts', () => {
  const item = fc.record({ key: fc.nat(50), mark: fc.nat() })
  const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key
  fc.assert(
    fc.property(fc.array(item, { maxLength: 50 }), fc.nat(200), (some, copies) => {
      const items = Array.from({ length: copies }, () => some).flat()
      const work = sortSteps(items, byKey)
      let step = work.next()
      for (; !step.done; step = work.next());
      assert.deepEqual(step.value, items.toSorted(byKey))
    }),
    { numRuns: 20 },
  )
})
