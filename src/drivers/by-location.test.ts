import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate } from '../families.ts'
import { runningClock } from '../kernel/process/clock.ts'
import { byLocation, type Site } from './by-location.ts'

const frankfurt = 1
const helsinki = 3

function twoSites() {
  const clock = runningClock()
  const [one, other] = [simulate({ delayMs: 0, clock }), simulate({ delayMs: 0, clock })]
  const site = (machines: Site['machines'], location: number, networkZone: string): Site => {
    return { machines, locations: new Set([location]), networkZones: new Set([networkZone]) }
  }
  const sites = [site(one.drivers, frankfurt, 'eu-central'), site(other.drivers, helsinki, 'eu-north')]
  return { one, other, drivers: byLocation(sites) }
}

const open = { otherwise: 'accept', accept: [] } as const
const filterAt = (location: number) => ({ serverId: 7, location, generation: 1, inbound: open, outbound: open })

test('what is desired at a location gets to the infrastructure of that location alone', async () => {
  const { one, other, drivers } = twoSites()
  await drivers.firewalls.apply(filterAt(helsinki))
  await drivers.volumes.apply({ id: 8, location: frankfurt, generation: 1, sizeGb: 10, format: null })
  assert.deepEqual([one.world.filters.size, other.world.filters.size], [0, 1])
  assert.deepEqual([one.world.volumes.size, other.world.volumes.size], [1, 0])
  await assert.rejects(async () => drivers.firewalls.apply(filterAt(99)), /no infrastructure has location 99/)
})

test('a network is where its subnets are, and is removed everywhere', async () => {
  const { one, other, drivers } = twoSites()
  const subnet = { ipRange: '10.0.0.0/24', networkZone: 'eu-north', gateway: '10.0.0.1', vswitchId: null }
  const shape = { ipRange: '10.0.0.0/16', subnets: [subnet], routes: [], exposesRoutes: false }
  await drivers.networks.apply({ id: 5, generation: 1, shape })
  assert.deepEqual([one.world.networks.size, other.world.networks.size], [0, 1])
  const both = { ...shape, subnets: [subnet, { ...subnet, networkZone: 'eu-central' }] }
  await drivers.networks.apply({ id: 5, generation: 2, shape: both })
  assert.deepEqual([one.world.networks.size, other.world.networks.size], [1, 1])
  await drivers.networks.apply({ id: 5, generation: 3, shape: null })
  assert.deepEqual([one.world.networks.size, other.world.networks.size], [0, 0])
})

test('a removal of something that the database no longer knows reaches every infrastructure', async () => {
  const { one, other, drivers } = twoSites()
  await drivers.volumes.apply({ id: 8, location: helsinki, generation: 1, sizeGb: 10, format: null })
  await drivers.volumes.remove(8, 2)
  assert.deepEqual([one.world.volumes.size, other.world.volumes.size], [0, 0])
})

test('a removal reaches the others while one infrastructure is away, and is not done before that returns', async () => {
  const { one, other, drivers } = twoSites()
  await drivers.volumes.apply({ id: 8, location: helsinki, generation: 1, sizeGb: 10, format: null })
  one.behave(() => 'error before effect')
  await assert.rejects(drivers.volumes.remove(8, 2))
  assert.equal(other.world.volumes.size, 0)
  one.behave(() => 'ok')
  await drivers.volumes.remove(8, 2)
})

test('a caller is told apart by the locations of the infrastructure that knows it', () => {
  const { one, other, drivers } = twoSites()
  const caller = { remoteAddress: '172.31.0.9', localAddress: '192.0.2.1', path: '/x' }
  one.drivers.metadata.identify = () => undefined
  other.drivers.metadata.identify = ({ path }) => ({ serverId: 12, path })
  const found = drivers.metadata.identify(caller)
  assert.deepEqual([found?.serverId, [...(found?.locations ?? [])]], [12, [helsinki]])
  one.drivers.metadata.identify = ({ path }) => ({ serverId: 13, path })
  assert.equal(drivers.metadata.identify(caller), undefined, 'an address that two of them know belongs to neither')
})

test('measurements of one data plane are there while another one does not answer', async () => {
  const { one, drivers } = twoSites()
  one.drivers.loadBalancers.measure = () => Promise.reject(new Error('away'))
  assert.equal((await drivers.loadBalancers.measure(1, 'open_connections', [1], 1)).size, 0)
})
