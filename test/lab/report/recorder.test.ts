/** Findings about requests that are made up, because their times or their number matter. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../../../src/kernel/http/api/exchange.ts'
import { usualAssertions } from '../../../src/lab/report/assertions.ts'
import type { Recorded } from '../../../src/lab/report/recorded.ts'
import { mostRequests, Recorder } from '../../../src/lab/report/recorder.ts'
import { reportOf } from '../../../src/lab/report/report.ts'
import { type Pause, Retries } from '../../../src/lab/report/retries.ts'

const asked = { whose: {}, assertions: usualAssertions, nowMs: 0, currency: 'EUR' }

/** An exchange with an answer of its own text. */
function exchange(n: number, textLength = 10): Exchange {
  const request = {
    id: `${n}`,
    method: 'GET',
    originalUrl: `/v1/servers/${n}`,
    headers: {},
    routeOptions: { config: {} },
  }
  const given = { endpoint: undefined, status: 200, code: undefined, reply: undefined }
  const text = `${n}`.padEnd(textLength, '.')
  return {
    ...given,
    text,
    request,
    response: { elapsedTime: 1, raw: {}, getHeader: () => undefined },
  } as unknown as Exchange
}

test('A report is about requests that are kept no more, too', () => {
  const recorder = new Recorder(0, () => [])
  const run = recorder.begin('early', 0)
  const count = mostRequests + 5_000
  for (let n = 0; n < count; n++) recorder.observe(exchange(n), 0, true)
  recorder.end(run.id, 0)
  for (let n = 0; n < count; n++) recorder.observe(exchange(n), 0, true)
  assert.equal(reportOf(recorder, run, asked).requests, count)
  assert.equal(reportOf(recorder, recorder.whole, asked).requests, 2 * count)
  const kept = recorder.requests(recorder.whole, {})
  assert.ok(kept.length <= mostRequests && kept.length > mostRequests / 2)
  assert.equal(kept.at(-1)?.id, `${count - 1}`)
  assert.deepEqual(recorder.requests(run, {}), [])
})

test('Large answers are kept in as much memory as small ones', () => {
  const recorder = new Recorder(0, () => [])
  for (let n = 0; n < 2_000; n++) recorder.observe(exchange(n, 60_000), 0, true)
  const kept = recorder.requests(recorder.whole, {})
  assert.ok(kept.length > 300 && kept.length < 600, `${kept.length}`)
  recorder.observe(exchange(1, 70_000), 0, true)
  assert.equal(recorder.requests(recorder.whole, {}).at(-1)?.text, undefined)
  assert.equal(reportOf(recorder, recorder.whole, asked).requests, 2_001)
})

test('What clients choose of the headers counts as memory that a request takes', () => {
  const recorder = new Recorder(0, () => [])
  for (let n = 0; n < 5_000; n++) {
    const { request, ...given } = exchange(n)
    const headers = { 'user-agent': `${n}`.padEnd(15_000, '.') }
    recorder.observe({ ...given, request: { ...request, headers } }, 0, true)
  }
  const kept = recorder.requests(recorder.whole, {})
  assert.ok(kept.length > 1_000 && kept.length < 2_500, `${kept.length}`)
})

test('A retry has back-off by its pause, and is one of the same request alone', () => {
  const retries = new Retries()
  const send = (cameMs: number, status: number, more: Partial<Recorded> = {}) =>
    retries.add({
      method: 'POST',
      url: '/v1/x',
      body: { a: 1 },
      endpoint: undefined,
      cameMs,
      answeredMs: cameMs + 10,
      atMs: cameMs + 10,
      isStill: false,
      status,
      ...more,
    } as Recorded)
  send(0, 423, { code: 'locked' })
  send(5_000, 201, { body: { a: 2 } })
  send(6_000, 503, { code: 'unavailable' })
  send(6_100, 429, { code: 'rate_limit_exceeded', againMs: 8_000 })
  send(9_000, 200, { isLost: true })
  send(9_300, 201)
  send(9_301, 409, { code: 'uniqueness_error' })
  send(9_302, 409, { code: 'uniqueness_error' })
  assert.deepEqual(
    retries.tally.list().map(({ code, pause, count }) => [code, pause, count]),
    [
      ['locked', 'own', 1],
      ['lost', 'own', 1],
      ['rate_limit_exceeded', 'until_told', 1],
      ['unavailable', 'at_once', 1],
    ],
  )
})

/** The pauses of requests that are sent again and again, after which each comes so many milliseconds later. */
function pausesAfter(...waits: readonly number[]) {
  const retries = new Retries()
  let atMs = 0
  const seen: Pause[] = []
  for (const wait of [0, ...waits]) {
    atMs += wait
    const moment = { cameMs: atMs, answeredMs: atMs, atMs, isStill: false }
    const before = new Map(retries.tally.list().map(({ pause, count }) => [pause, count]))
    retries.add({ method: 'GET', url: '/v1/x', status: 503, againMs: undefined, ...moment } as Recorded)
    for (const { pause, count } of retries.tally.list()) if (count !== before.get(pause)) seen.push(pause)
  }
  return seen
}

test('Several retries have back-off when their pauses grow or vary, or are long', () => {
  assert.deepEqual(pausesAfter(1_000, 2_000, 4_000), ['own', 'own', 'own'])
  assert.deepEqual(pausesAfter(800, 1_300, 600), ['own', 'own', 'own'])
  assert.deepEqual(pausesAfter(500, 505, 500), ['own', 'constant', 'constant'])
  assert.deepEqual(pausesAfter(60_000, 60_000), ['own', 'own'])
  assert.deepEqual(pausesAfter(5, 400, 3), ['at_once', 'own', 'at_once'])
})
