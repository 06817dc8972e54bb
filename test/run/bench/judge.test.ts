import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge, type Round, told } from '../../../bench/check/judge.ts'

/** Rounds of a program that costs 100 before, and three times as much as a bare server. */
const roundsOf = (...now: number[]): Round[] => now.map((now) => ({ now, before: 100, bare: 100 / 3 }))

test('a measure is lost when three of five rounds lose more than a tenth against the commit before', () => {
  const lost = judge('GET', roundsOf(111, 100, 112, 90, 130), undefined)
  assert.deepEqual([lost.isLost, lost.lost], [true, 3])
  const held = judge('GET', roundsOf(111, 100, 112, 90, 109), undefined)
  assert.deepEqual([held.isLost, held.lost], [false, 2])
})

test('a tenth is no loss, and neither is a gain', () => {
  assert.equal(judge('GET', roundsOf(110, 110, 110, 110, 110), undefined).isLost, false)
  const faster = judge('GET', roundsOf(50, 51, 52, 53, 54), undefined)
  assert.deepEqual([faster.isLost, faster.change], [false, 0.52])
})

test('one round that goes wrong by far says nothing', () => {
  const { isLost, change } = judge('GET', roundsOf(900, 100, 100, 101, 100), 3)
  assert.deepEqual([isLost, change], [false, 1])
})

test('small losses are seen when they add up against the figure that is kept', () => {
  const rounds = [131, 128, 130, 90, 100].map((now) => ({ now, before: now, bare: 100 / 3 }))
  const verdict = judge('GET', rounds, 3)
  assert.deepEqual([verdict.isLost, verdict.lost, verdict.lostOfKept], [true, 0, 3])
  assert.equal(judge('GET', rounds, undefined).isLost, false)
  assert.equal(judge('GET', rounds, 3.2).isLost, false)
})

test('without a commit before only the figure that is kept counts', () => {
  const rounds = [200, 200, 200, 200, 200].map((now) => ({ now, bare: 50 }))
  assert.deepEqual(judge('GET', rounds, 3), { name: 'GET', now: 4, kept: 3, lost: 0, lostOfKept: 5, isLost: true })
  assert.deepEqual(judge('GET', rounds, undefined), { name: 'GET', now: 4, lost: 0, lostOfKept: 0, isLost: false })
})

test('the table names what is lost', () => {
  const table = told([
    judge('GET', roundsOf(100, 100, 100, 100, 100), 3),
    judge('POST', roundsOf(120, 120, 120, 120, 120), undefined),
  ])
  assert.match(table, /^GET +3\.00 +3\.00 \(\+0\.0 %, 0 of 5\) +\+0\.0 %, 0 of 5 +held$/m)
  assert.match(table, /^POST +3\.60 +- +\+20\.0 %, 5 of 5 +LOST$/m)
})
