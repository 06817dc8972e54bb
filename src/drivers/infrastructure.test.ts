import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everything } from '../catalogue/capabilities.ts'
import { locations } from '../catalogue/locations.ts'
import { runningClock } from '../kernel/process/clock.ts'
import { openLog } from '../kernel/process/log.ts'
import { openInfrastructure } from './infrastructure.ts'

const clock = runningClock()
const log = openLog('silent')
const plane = { name: 'simulated', directory: undefined, portOffset: 0, addressPool: [], clock, log } as const
const options = {
  delayMs: 0,
  dataPlane: plane,
  usual: 'simulated',
  clusters: [],
  hosts: { log, directory: undefined },
} as const

test('the simulated infrastructure runs everything and can do everything', async () => {
  const { drivers, capabilities, clusters, close } = await openInfrastructure({ ...options, locations })
  assert.equal(await drivers.servers.remembers(1), false)
  assert.deepEqual(capabilities(1), everything)
  assert.deepEqual(clusters, [])
  await close()
})

test('a location that names an infrastructure which is not there is refused', async () => {
  const [first] = locations
  await assert.rejects(openInfrastructure({ ...options, locations: [{ ...first!, infrastructure: 'rack1' }] }), {
    message: 'location fsn1 names the infrastructure rack1, which is none of simulated',
  })
})

test('a cluster that no location names is not opened', async () => {
  const cluster = {
    name: 'rack1',
    incus: [{ socket: '/nowhere' }],
    ovn: { remotes: ['unix:/nowhere'] },
    uplink: 'UPLINK',
    publicNetwork: 'pub',
    pool: 'default',
    instanceType: 'container',
    nameServers: [],
    overcommit: 1,
    metadata: null,
  } as const
  const opened = await openInfrastructure({ ...options, locations, clusters: [cluster] })
  assert.deepEqual(opened.clusters, [])
  await opened.close()
  const all = locations.map((location) => ({ ...location, infrastructure: 'rack1' }))
  await assert.rejects(
    openInfrastructure({ ...options, locations: all, clusters: [cluster] }),
    /^Error: infrastructure rack1: /,
  )
})
