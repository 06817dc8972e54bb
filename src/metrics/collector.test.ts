/** Collections of gauges are shared, end in time, and show all that could be read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import type { GaugeGroup } from '../kernel/process/gauges.ts'
import { Collector } from './collector.ts'
import { expose, formatFor } from './exposition.ts'

const plainText = Registry.PROMETHEUS_CONTENT_TYPE
const openMetrics = Registry.OPENMETRICS_CONTENT_TYPE

/** A group with one gauge. */
const group = (name: string, read: () => Promise<number>): GaugeGroup<undefined> => ({
  name,
  gauges: { [name]: { help: 'a gauge' } },
  read: async () => ({ [name]: [{ value: await read() }] }),
})

/** Groups of gauges with their collector, and what it has logged. */
function open(groups: readonly GaugeGroup<undefined>[], mostMs = 60_000) {
  const registry = new Registry()
  const logged: string[] = []
  const log = {
    warn: (about: object) => logged.push(`warn ${sourceOf(about)}`),
    info: (about: object) => logged.push(`info ${sourceOf(about)}`),
  }
  const collector = new Collector({ registry, groups, world: () => undefined, log: log as never, mostMs })
  const lines = async () =>
    (await expose(registry, plainText)).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return { collector, lines, logged, registry }
}

const sourceOf = (about: object) => (about as { source: string }).source

test('a gauge that cannot be read is left out and counted, and hides no other', async () => {
  let fails = true
  const flaky = group('flaky', async () => {
    if (fails) throw new Error('away')
    return 7
  })
  const { collector, lines, logged } = open([flaky, group('steady', async () => 1)])
  for (let i = 0; i < 2; i++) await collector.collect()
  const found = await lines()
  assert.ok(found.includes('steady 1'))
  assert.ok(found.includes('wolke_collection_errors_total{source="flaky"} 2'))
  assert.ok(!found.some((line) => line.startsWith('flaky')))
  assert.deepEqual(logged, ['warn flaky'])
  fails = false
  await collector.collect()
  assert.ok((await lines()).includes('flaky 7'))
  assert.deepEqual(logged, ['warn flaky', 'info flaky'])
  fails = true
  await collector.collect()
  assert.ok(!(await lines()).some((line) => line.startsWith('flaky')))
})

test('whoever comes during a collection waits for that one', async () => {
  const gate = Promise.withResolvers<void>()
  let reads = 0
  const slow = group('slow', async () => {
    await gate.promise
    return ++reads
  })
  const { collector, lines } = open([slow])
  const all = [collector.collect(), collector.collect(), collector.collect()]
  gate.resolve()
  await Promise.all(all)
  assert.ok((await lines()).includes('slow 1'))
})

test('a gauge that takes too long is given up, and not read again before it has ended', async () => {
  const gate = Promise.withResolvers<number>()
  let reads = 0
  const stuck = group('stuck', () => {
    reads++
    return gate.promise
  })
  const { collector, lines } = open([stuck, group('steady', async () => 1)], 1)
  for (let i = 0; i < 3; i++) await collector.collect()
  assert.equal(reads, 1)
  const found = await lines()
  assert.ok(found.includes('steady 1'))
  assert.ok(found.includes('wolke_collection_errors_total{source="stuck"} 3'))
  gate.resolve(5)
  await gate.promise
  await new Promise(setImmediate)
  assert.ok(!(await lines()).some((line) => line.startsWith('stuck')))
})

test('the format is the one that is preferred', () => {
  const asked =
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5'
  for (const accept of [
    asked,
    'application/openmetrics-text',
    'APPLICATION/OpenMetrics-Text; version=1.0.0 ; q=0.9, */*;q=0.1',
  ])
    assert.equal(formatFor(accept), openMetrics, accept)
  const others = [
    '',
    '*/*',
    'text/plain',
    'application/openmetrics-text;version=0.0.1',
    'application/openmetrics-text;q=0',
    'text/plain, application/openmetrics-text;q=0.5',
    ';;;,,=,q=x',
    'application/openmetrics-text;q=x',
  ]
  for (const accept of [undefined, ...others]) assert.equal(formatFor(accept), plainText, accept)
})
