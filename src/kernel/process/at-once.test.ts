import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AtOnce, inSteps, type Steps, together, value } from './at-once.ts'

function* sum(values: readonly AtOnce<number>[]): Steps<number> {
  let all = 0
  for (const one of values) {
    try {
      all += yield* value(one)
    } catch {
      all += 100
    }
  }
  return all
}

test('steps that await nothing are done at once, and others when all that they await is here', async () => {
  assert.equal(inSteps(sum([1, 2, 3])), 6)
  const later = inSteps(sum([1, Promise.resolve(2), 3, Promise.resolve(4)]))
  assert.ok(later instanceof Promise)
  assert.equal(await later, 10)
})

test('a step can catch what its promise is rejected with', async () => {
  assert.equal(await inSteps(sum([1, Promise.reject(new Error('no')), 2])), 103)
})

test('what a step throws is thrown, or rejects what has become a promise', async () => {
  function* failing(first: AtOnce<number>): Steps<number> {
    yield* value(first)
    throw new Error('on purpose')
  }
  assert.throws(() => inSteps(failing(1)), /on purpose/)
  await assert.rejects(async () => inSteps(failing(Promise.resolve(1))), /on purpose/)
})

test('values that are here are together at once, and others when all are here', async () => {
  assert.deepEqual(together([1, 'a']), [1, 'a'])
  const later = together([1, Promise.resolve('a'), 2])
  assert.ok(later instanceof Promise)
  assert.deepEqual(await later, [1, 'a', 2])
})
