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
function steps(count: number, rows: number) {
  let step = 0
  return () => {
    if (step === count) return undefined
    const isLastStep = ++step === count
    return Array.from({ length: rows }, (_, index) => {
      const isLast = isLastStep && index === rows - 1
      return { id: step * rows + index, labels: isLast ? '{"env":"prod"}' : '{}' } as never
    })
  }
}

describe('A label selector', () => {
  test('finds what matches however long a busy machine takes for it', async (t) => {
    const really = performance.now.bind(performance)
    let lateMs = 0
    t.mock.method(performance, 'now', () => really() + lateMs)
    const next = steps(20, 500)
    const slow = () => {
      lateMs += 10_000
      return next()
    }
    assert.equal((await gather(slow, selectorOf('env=prod'), 0, 25)).length, 1)
  })

  test('is not compared with rows without end', async () => {
    const found = async () => gather(steps(10_000, 500), selectorOf('env=prod'), 0, 25)
    await assert.rejects(found, {
      code: 'timeout',
      status: 504,
      message: 'the label selector matches too few resources',
    })
  })
})
