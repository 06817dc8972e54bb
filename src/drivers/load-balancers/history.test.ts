import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { type Sample, TrafficHistory } from './history.ts'

const folder = mkdtempSync(join(tmpdir(), 'wolke-history-'))
after(() => rmSync(folder, { recursive: true }))

const none: Sample = { openConnections: 0, connections: 0, requests: 0, ingoing: 0, outgoing: 0 }
const start = Date.UTC(2026, 10, 22) / 1_000
const hour = 3_600
const day = 24 * hour

/** Records the same sample every ten seconds for some time. */
function recordFor(history: TrafficHistory, from: number, seconds: number, sample: Sample): void {
  for (let at = from + 10; at <= from + seconds; at += 10) history.record(at, sample)
}

let id = 0
let history: TrafficHistory
beforeEach(() => {
  id++
  history = new TrafficHistory(folder, id)
})

const reopen = () => new TrafficHistory(folder, id)

describe('measuring', () => {
  test('gives rates per second, and the mean of open connections', () => {
    const sample = { openConnections: 3, connections: 20, requests: 50, ingoing: 1_000, outgoing: 4_000 }
    recordFor(history, start, 600, sample)
    const moment = start + 300
    const mean = (series: Parameters<TrafficHistory['measure']>[0]) => history.measure(series, [moment], 60).get(moment)
    assert.equal(mean('open_connections'), 3)
    assert.equal(mean('connections_per_second'), 2)
    assert.equal(mean('requests_per_second'), 5)
    assert.equal(mean('bandwidth.in'), 100)
    assert.equal(mean('bandwidth.out'), 400)
  })

  test('covers the step before a moment, wherever its bounds and those of records are', () => {
    for (let at = start + 13; at <= start + 113; at += 10) history.record(at, { ...none, requests: 10 })
    const rates = history.measure('requests_per_second', [start + 50, start + 57, start + 113], 20)
    assert.deepEqual(
      [...rates.values()].map((rate) => rate.toFixed(6)),
      ['1.000000', '1.000000', '1.000000'],
    )
  })

  test('has nothing before the first record and after the last one', () => {
    recordFor(history, start, 60, { ...none, requests: 10 })
    const rates = history.measure('requests_per_second', [start - 10, start, start + 5, start + 60, start + 61], 30)
    assert.deepEqual(Object.fromEntries(rates), { [start + 5]: 1, [start + 60]: 1 })
    assert.equal(new TrafficHistory(folder, 1_000_000).measure('bandwidth.in', [start], 30).size, 0)
  })

  test('is zero while nothing was sent, and what comes after it belongs to the last ten seconds', () => {
    history.record(start, none)
    recordFor(history, start, hour, none)
    history.record(start + hour + 10, { ...none, requests: 100 })
    const moments = [start + 1_800, start + hour, start + hour + 10]
    assert.deepEqual([...history.measure('requests_per_second', moments, 10).values()], [0, 0, 10])
  })

  test('counts the time in which nothing was recorded as one without traffic', () => {
    recordFor(history, start, 100, { ...none, openConnections: 5 })
    const later = reopen()
    later.record(start + 1_000, { ...none, openConnections: 5 })
    const moments = [start + 100, start + 500, start + 1_000]
    assert.deepEqual([...later.measure('open_connections', moments, 10).values()], [5, 0, 5])
  })
})

describe('the rings', () => {
  test('keep 2 hours finely, a day by minutes and 30 days by tens of minutes', () => {
    const end = start + 31 * day
    for (let at = start + 10; at <= end; at += 10) {
      // A burst of ten seconds in every hour: only a fine ring tells it from its neighbours.
      if (at % hour === 0) history.record(at, { ...none, requests: 600 })
    }
    const burst = (ago: number) => [...history.measure('requests_per_second', [end - ago], 10).values()]
    assert.deepEqual(burst(0), [60])
    assert.deepEqual(burst(hour), [60])
    assert.deepEqual(burst(20 * hour), [10])
    assert.deepEqual(burst(29 * day), [1])
    assert.deepEqual(burst(30.5 * day), [0])
  })

  test('have one size, however long they run', () => {
    recordFor(history, start, 3 * hour, { ...none, requests: 1 })
    const [size] = readdirSync(folder)
      .filter((name) => name === `${id}.history`)
      .map((name) => statSync(join(folder, name)).size)
    assert.ok(size! <= 48 + (720 + 1_440 + 4_320) * 48, String(size))
  })
})

describe('the traffic of the month', () => {
  test('is summed up, survives a restart and begins anew with the month', () => {
    const november = Date.UTC(2026, 10, 30, 23, 59) / 1_000
    history.record(november, { ...none, ingoing: 7, outgoing: 11 })
    history.record(november + 10, { ...none, ingoing: 1, outgoing: 1 })
    assert.deepEqual(reopen().traffic(november * 1_000), { ingoing: 8, outgoing: 12 })
    const december = november + 70
    assert.deepEqual(history.traffic(december * 1_000), { ingoing: 0, outgoing: 0 })
    history.record(december, { ...none, ingoing: 2, outgoing: 3 })
    assert.deepEqual(reopen().traffic(december * 1_000), { ingoing: 2, outgoing: 3 })
  })
})

test('a history goes on after a restart', () => {
  recordFor(history, start, 100, { ...none, requests: 10 })
  const later = reopen()
  recordFor(later, start + 100, 100, { ...none, requests: 10 })
  assert.equal(later.measure('requests_per_second', [start + 110], 60).get(start + 110), 1)
})

test('what was removed is forgotten, and removing it again succeeds', () => {
  recordFor(history, start, 100, { ...none, requests: 10 })
  history.remove()
  history.remove()
  assert.equal(history.measure('requests_per_second', [start + 50], 10).size, 0)
  assert.equal(reopen().measure('requests_per_second', [start + 50], 10).size, 0)
})

test('a file that is no history is begun anew', () => {
  writeFileSync(join(folder, `${id}.history`), 'x'.repeat(1_000))
  const fresh = reopen()
  fresh.record(start, { ...none, requests: 10 })
  assert.equal(fresh.measure('requests_per_second', [start], 10).get(start), 1)
})

test('a clock that is set back loses no later records', () => {
  recordFor(history, start, 100, { ...none, requests: 10 })
  recordFor(history, start - hour, 100, { ...none, requests: 10 })
  assert.equal(history.measure('requests_per_second', [start - hour + 50], 10).get(start - hour + 50), 1)
})
