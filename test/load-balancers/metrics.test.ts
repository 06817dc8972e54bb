/** What is measured: connections, requests and bytes add up to what clients did, also across changes. */
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { test } from 'node:test'
import type { BalancerSeries } from '../../src/families/load-balancers/driver.ts'
import { until } from '../kit/database/bare-database.ts'
import { targetAt } from '../kit/samples/balancer-states.ts'
import { Balancer, httpCheck, httpService, tcpService } from './kit/balancers.ts'
import { ask, dial, echo } from './kit/clients.ts'
import { onEachPlane } from './kit/each-plane.ts'
import { echoTarget, httpTarget } from './kit/targets.ts'

/** The values of a series since the balancer is measured, one for each second. */
async function values(balancer: Balancer, series: BalancerSeries): Promise<number[]> {
  const now = Math.floor(Date.now() / 1_000)
  const moments = Array.from({ length: 120 }, (_, index) => now - 119 + index)
  const found = await balancer.plane.driver.measure(balancer.id, series, moments, 1)
  return moments.flatMap((moment) => found.get(moment) ?? [])
}

/** What rates add up to. They are means, which add up exactly when there was nothing at first and in the end. */
async function total(balancer: Balancer, series: BalancerSeries): Promise<number> {
  return (await values(balancer, series)).reduce((sum, value) => sum + value, 0)
}

/** Waits until there are measurements, none of them of any traffic. */
async function untilMeasured(balancer: Balancer): Promise<void> {
  await until(async () => (await values(balancer, 'bandwidth.in')).length > 0, 'there are measurements')
  assert.equal(await total(balancer, 'bandwidth.in'), 0)
}

/** Waits until traffic was measured, and nothing after it. */
async function untilQuiet(balancer: Balancer, series: BalancerSeries): Promise<void> {
  await until(async () => {
    const found = await values(balancer, series)
    return found.at(-1) === 0 && found.some((value) => value > 0)
  }, 'the traffic is over')
}

/** Moments are whole seconds, and samples are taken in between. */
const tolerance = 0.01

function isAbout(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= tolerance * expected, `${what}: ${actual} where ${expected} is expected`)
}

onEachPlane('Measurements', import.meta.filename, (plane) => {
  test('of TCP add up to the bytes and connections of clients, across changes', async (t) => {
    const { address } = await echoTarget(t, plane)
    const other = await echoTarget(t, plane)
    const balancer = await Balancer.ready(t, plane, { services: [tcpService(90)], targets: [targetAt(address)] })
    await untilMeasured(balancer)
    const sent = { ingoing: 1_500_000, outgoing: 1_500_000 }
    const message = 'x'.repeat(100_000)
    const kept = await dial(t, balancer.at(90))
    for (let round = 0; round < 3; round++) {
      assert.equal(await echo(kept, message), message)
      for (let i = 0; i < 4; i++) {
        const socket = await dial(t, balancer.at(90))
        assert.equal(await echo(socket, message), message)
        socket.end()
      }
      // A connection that is there before a change counts after it as well.
      const targets = round % 2 === 0 ? [targetAt(address), targetAt(other.address)] : [targetAt(address)]
      await balancer.change({ targets })
    }
    // Bytes of TCP are counted exactly.
    await until(async () => (await balancer.observe()).traffic.ingoing >= sent.ingoing)
    assert.deepEqual((await balancer.observe()).traffic, sent)
    kept.destroy()
    await untilQuiet(balancer, 'bandwidth.in')
    isAbout(await total(balancer, 'connections_per_second'), 13, 'connections')
    for (const series of ['bandwidth.in', 'bandwidth.out'] as const) {
      isAbout(await total(balancer, series), sent.ingoing, series)
    }
    const requests = await total(balancer, 'requests_per_second')
    assert.equal(requests, 0, 'TCP has no requests')
  })

  test('of HTTP add up to requests and connections, and are zero without any', async (t) => {
    const { address } = await httpTarget(t, plane, (_, response) => void response.end('y'.repeat(10_000)))
    const service = httpService(80, {}, { healthCheck: httpCheck({}, { path: '/health' }) })
    const balancer = await Balancer.ready(t, plane, { services: [service], targets: [targetAt(address)] })
    await untilMeasured(balancer)
    const agents = Array.from({ length: 5 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
    t.after(() => agents.forEach((agent) => void agent.destroy()))
    for (const agent of agents) {
      for (let i = 0; i < 20; i++) await ask(balancer.at(80), { agent, method: 'POST', body: 'z'.repeat(5_000) })
    }
    await until(async () => (await values(balancer, 'open_connections')).at(-1) === 5)
    for (const agent of agents) agent.destroy()
    await untilQuiet(balancer, 'open_connections')
    isAbout(await total(balancer, 'requests_per_second'), 100, 'requests')
    isAbout(await total(balancer, 'connections_per_second'), 5, 'connections')
    // Headers are part of it, and are small beside the bodies.
    const { traffic } = await balancer.observe()
    assert.ok(traffic.ingoing >= 500_000 && traffic.ingoing < 600_000, `${traffic.ingoing} bytes in`)
    assert.ok(traffic.outgoing >= 1_000_000 && traffic.outgoing < 1_100_000, `${traffic.outgoing} bytes out`)
    isAbout(await total(balancer, 'bandwidth.out'), traffic.outgoing, 'bytes out')
  })

  test('are nothing before the balancer, and nothing of one that is gone', async (t) => {
    const balancer = await Balancer.make(t, plane, { services: [tcpService(90)] })
    const longAgo = Math.floor(Date.now() / 1_000) - 3_600
    const { driver } = plane
    assert.equal((await driver.measure(balancer.id, 'bandwidth.in', [longAgo], 60)).size, 0)
    assert.deepEqual((await balancer.observe()).traffic, { ingoing: 0, outgoing: 0 })
    await balancer.remove()
    assert.equal((await driver.observe([balancer.id])).size, 0)
    assert.equal((await driver.measure(balancer.id, 'bandwidth.in', [longAgo + 3_600], 60)).size, 0)
  })
})
