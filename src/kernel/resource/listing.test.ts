import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseSelector, type Selector } from '../contract/selectors.ts'
import { gather } from './listing.ts'

function selectorOf(text: string): Selector {
  const result = parseSelector(text)
  assert.ok(result.ok)
  return result.selector
}

/** Steps of so many rows each, of which the last one of all has the label `env=prod`. */
async function* steps(count: number, rows: number) {
  for (let step = 1; step <= count; step++) {
    yield Array.from({ length: rows }, (_, index) => {
      const isLast = step === count && index === rows - 1
      return { id: step * rows + index, labels: isLast ? '{"env":"prod"}' : '{}' } as never
    })
  }
}

describe('A label selector', () => {
  test('finds what matches however long a busy machine takes for it', async (t) => {
    const really = performance.now.bind(performance)
    let lateMs = 0
    t.mock.method(performance, 'now', () => really() + lateMs)
    async function* slow() {
      for await (const rows of steps(20, 500)) {
        lateMs += 10_000
        yield rows
      }
    }
    assert.equal((await gather(slow(), selectorOf('env=prod'), 0, 25)).length, 1)
  })

  test('is not compared with rows without end', async () => {
    const found = gather(steps(10_000, 500), selectorOf('env=prod'), 0, 25)
    await assert.rejects(found, {
      code: 'timeout',
      status: 504,
      message: 'the label selector matches too few resources',
    })
  })
})
