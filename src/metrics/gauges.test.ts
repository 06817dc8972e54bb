/** The gauges of hosts say which are up, and which clusters do not answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { Collector } from './collector.ts'
import { expose } from './exposition.ts'
import { commonGauges, type WatchedCluster, type World } from './gauges.ts'

test('a host that is offline and a cluster that does not answer are down', async () => {
  const clusters: WatchedCluster[] = [
    {
      name: 'north',
      members: async () => [
        { name: 'h1', isUp: true },
        { name: 'h2', isUp: false },
      ],
    },
    {
      name: 'south',
      members: async () => {
        throw new Error('away')
      },
    },
  ]
  const registry = new Registry()
  const log = { warn: () => undefined, info: () => undefined }
  const groups = commonGauges.filter(({ name }) => name === 'hosts')
  const collector = new Collector({
    ...{ registry, groups, mostMs: 60_000 },
    world: () => ({ clusters }) as unknown as World,
    log: log as never,
  })
  await collector.collect()
  const text = await expose(registry, Registry.PROMETHEUS_CONTENT_TYPE)
  const lines = text.split('\n').filter((line) => /^wolke_(cluster|host)_/.test(line))
  assert.deepEqual(lines, [
    'wolke_cluster_up{cluster="north"} 1',
    'wolke_cluster_up{cluster="south"} 0',
    'wolke_host_up{cluster="north",host="h1"} 1',
    'wolke_host_up{cluster="north",host="h2"} 0',
  ])
})
