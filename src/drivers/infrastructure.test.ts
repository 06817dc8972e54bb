import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
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
  storage: { directory: tmpdir(), isPassing: true, ssh: 'off', webdav: 'off' },
  usual: 'simulated',
  clusters: [],
  hosts: { log, directory: undefined },
} as const

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
  const opened = await openInfrastructure({ ...options, locations, clusters: [cluster] })
  assert.deepEqual(opened.clusters, [])
  await opened.close()
})

test('a cluster that does not answer is served as one that is away', async () => {
  const [first, ...others] = locations
  const own = { ...first!, infrastructure: 'rack1' }
  const opened = await openInfrastructure({ ...options, locations: [own, ...others], clusters: [cluster] })
  const { drivers, capabilities } = opened
  const absence = { message: 'the hosts rack1 do not answer', transient: true, code: 'unavailable' }
  await assert.rejects(drivers.console.open(1, own.id), absence)
  await assert.rejects(drivers.volumes.remove(1, 1), absence)
  await assert.rejects(async () => opened.clusters[0]!.inventory(), absence)
  assert.equal(await drivers.servers.remembers(own.id), true)
  assert.deepEqual([capabilities(own.id).block_volumes, capabilities(others[0]!.id).block_volumes], [false, true])
  const volume = { id: 8, generation: 1, sizeGb: 10, format: null }
  await drivers.volumes.apply({ ...volume, location: others[0]!.id })
  await assert.rejects(async () => drivers.volumes.apply({ ...volume, location: own.id }), absence)
  const caller = (remoteAddress: string) => ({ remoteAddress, localAddress: '192.0.2.9', path: '/servers/7/v1' })
  assert.equal(drivers.metadata.identify(caller('192.0.2.7')), undefined, 'only this machine names servers by a path')
  assert.equal(drivers.metadata.identify(caller('127.0.0.1'))?.serverId, 7)
  await opened.close()
})
