/** What a data plane is told: it reaches the newest state, whatever comes late, twice, or to several of its drivers. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, httpCheck, httpService, tcpService } from '../kit/balancers.ts'
import { ask, dial, echo, statusOf } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import type { Plane } from '../kit/planes.ts'
import { echoTarget, httpTarget } from '../kit/targets.ts'

const service = httpService(80, {}, { healthCheck: httpCheck({}, { path: '/health' }) })

async function serving(t: TestContext, plane: Plane) {
  const { address } = await httpTarget(t, plane)
  return Balancer.ready(t, plane, { services: [service], targets: [targetAt(address)] })
}

onEachPlane('The desired state', import.meta.filename, (plane) => {
  test('is the newest one, whatever comes late', async (t) => {
    const balancer = await serving(t, plane)
    const old = balancer.state
    const other = await httpTarget(t, plane)
    await balancer.change({ targets: [targetAt(other.address)] })
    await plane.driver.apply({ ...old, targets: [] })
    assert.equal((await balancer.observe()).generation, balancer.state.generation)
    assert.equal((await ask(balancer.at(80))).body, other.address)
  })

  test('stays the removal, until something newer comes', async (t) => {
    const balancer = await serving(t, plane)
    const { id, generation } = balancer.state
    await plane.driver.remove(id, generation + 2)
    await plane.driver.remove(id, generation + 2)
    await plane.driver.apply({ ...balancer.state, generation: generation + 1 })
    assert.equal((await plane.driver.observe([id])).size, 0)
    assert.notEqual(await statusOf(balancer.at(80)), 200)
    assert.ok(!(await plane.driver.inventory())?.balancers.includes(id))
    await plane.driver.apply({ ...balancer.state, generation: generation + 3 })
    await until(async () => (await statusOf(balancer.at(80))) === 200)
    await balancer.change({})
    await balancer.change({})
    await balancer.change({})
  })

  test('outlives a removal that comes late', async (t) => {
    const balancer = await serving(t, plane)
    const { id, generation } = balancer.state
    await balancer.change({ algorithm: 'least_connections' })
    await plane.driver.remove(id, generation)
    assert.equal(await statusOf(balancer.at(80)), 200)
  })

  test('touches nothing when it comes again', async (t) => {
    const { address } = await echoTarget(t, plane)
    const balancer = await Balancer.ready(t, plane, { services: [tcpService(90)], targets: [targetAt(address)] })
    const socket = await dial(t, balancer.at(90))
    const before = await plane.driver.inventory()
    for (let i = 0; i < 3; i++) {
      await plane.driver.apply(balancer.state)
      await balancer.change({})
      assert.equal(await echo(socket, `after ${i}`), `after ${i}`)
      assert.deepEqual(await balancer.health(address), { status: 'healthy' })
    }
    assert.equal((await plane.driver.inventory())?.epoch, before?.epoch)
  })

  test('of one balancer is none of another that has the same ports', async (t) => {
    const [one, other] = [await serving(t, plane), await serving(t, plane)]
    const bodies = async () => [(await ask(one.at(80))).body, (await ask(other.at(80))).body]
    assert.deepEqual(await bodies(), [one.state.targets[0]!.address, other.state.targets[0]!.address])
    await one.change({ services: [{ ...service, listenPort: 81 }] })
    assert.equal(await statusOf(other.at(80)), 200)
    await one.remove()
    assert.equal(await statusOf(other.at(80)), 200)
    assert.notEqual(await statusOf(one.at(81)), 200)
  })

  test('moves to other addresses', async (t) => {
    const balancer = await serving(t, plane)
    const [before] = balancer.state.publicAddresses
    await balancer.change({ publicAddresses: [`${plane.site.balancerNet}.${plane.next()}`] })
    assert.equal(await statusOf(balancer.at(80)), 200)
    const { host, port } = balancer.at(80, before)
    const isGone = () => Promise.race([statusOf({ host, port }), new Promise((done) => setTimeout(done, 500))])
    await until(async () => (await isGone()) !== 200)
  })

  test('is the same through every driver of the installation', async (t) => {
    const balancer = await serving(t, plane)
    const second = await plane.another(t)
    assert.ok((await second.inventory())?.balancers.includes(balancer.id))
    assert.deepEqual((await second.observe([balancer.id])).get(balancer.id)?.health, (await balancer.observe()).health)
    const other = await httpTarget(t, plane)
    const newest = { ...balancer.state, generation: balancer.state.generation + 10, targets: [targetAt(other.address)] }
    // Whichever comes first, the newest stays.
    await Promise.all([
      second.apply(newest),
      ...Array.from({ length: 5 }, () => balancer.change({ algorithm: 'least_connections' })),
    ])
    assert.equal((await balancer.observe()).generation, newest.generation)
    await until(async () => (await ask(balancer.at(80))).body === other.address)
    await second.remove(balancer.id, newest.generation + 1)
    assert.equal((await plane.driver.observe([balancer.id])).size, 0)
  })
})
