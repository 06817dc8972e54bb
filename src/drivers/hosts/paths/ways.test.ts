/** A way that is broken is told apart from its way back, and from other ways to the same host. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenWays, type Ends, type Size } from './ways.ts'

/** Ends between which packets pass as a function says, with echoes that arrive nowhere but where they belong. */
function endsThat(count: number, passes: (way: string, size: Size) => boolean): Ends {
  const received = Array.from({ length: count }, () => 0)
  return {
    count,
    send: async (from, to, size) => {
      if (passes(`${from}>${to}`, size)) received[to]! += 3
    },
    received: async (end) => received[end]!,
  }
}

const broken = async (ends: Ends) =>
  (await brokenWays(ends)).map(({ from, to, passesSmall }) => `${from}>${to}${passesSmall ? ' small' : ''}`).sort()

test('ways that let everything through are fine, and one host has none', async () => {
  assert.deepEqual(await broken(endsThat(5, () => true)), [])
  assert.deepEqual(await broken(endsThat(1, () => false)), [])
})

test('each direction is one way, whatever else arrives at its end', async () => {
  const cut = ['0>3', '3>0', '2>1', '4>3']
  assert.deepEqual(await broken(endsThat(5, (way) => !cut.includes(way))), cut.toSorted())
})

test('a way on which small packets alone arrive is told apart', async () => {
  const passes = (way: string, size: Size) => way !== '1>0' && (way !== '1>2' || size === 'small')
  assert.deepEqual(await broken(endsThat(3, passes)), ['1>0', '1>2 small'])
})

test('a way that loses the packets of one attempt is fine', async () => {
  const lost = new Set(['0>1', '2>0'])
  assert.deepEqual(await broken(endsThat(3, (way) => !lost.delete(way))), [])
})
