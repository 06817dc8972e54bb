import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, readOptions } from '../../../bench/options.ts'

const names = ['get', 'post']
const read = (...args: string[]) => readOptions(args, names)

test('runs all benchmarks, or those that are named', () => {
  assert.deepEqual(read(), { only: names, quick: false })
  const some = read('--only', 'post', '--quick', '--json', 'out.json')
  assert.deepEqual(some, { only: ['post'], quick: true, json: 'out.json' })
})

test('checks against the commit before, or another one', () => {
  assert.deepEqual(read('--check').check, { keep: false })
  assert.deepEqual(read('--check', '--keep', '--against', 'v1').check, { keep: true, against: 'v1' })
})

test('refuses what cannot be followed, and says why', () => {
  const refusals: [args: string[], reason: RegExp][] = [
    [['--only', 'put'], /no benchmark 'put'; there are get, post/],
    [['--keep'], /--keep needs --check/],
    [['--against', 'v1'], /--against needs --check/],
    [['--check', '--quick'], /--quick has no place beside it/],
    [['--check', '--only', 'get'], /--only has no place beside it/],
    [['--check', '--json', 'out.json'], /--json has no place beside it/],
    [['--fast'], /--fast/],
    [['get'], /get/],
  ]
  for (const [args, reason] of refusals) {
    assert.throws(
      () => read(...args),
      (error) => error instanceof Refusal && reason.test(error.message),
      args.join(' '),
    )
  }
})
