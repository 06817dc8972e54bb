/** A data plane whose process is killed: traffic flows again at once, and what was known is known again. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { targetAt } from '../balancer-states.ts'
import { until } from '../bare-database.ts'
import { Balancer, certificate, httpCheck, httpService } from './balancers.ts'
import { ask, statusOf } from './clients.ts'
import { onEachPlane } from './each-plane.ts'
import type { Plane } from './planes.ts'
import { listenersOn } from './processes.ts'
import { httpTarget } from './targets.ts'

const intervalS = 3
const healthCheck = httpCheck({ interval: intervalS }, { path: '/health' })

async function someBalancer(t: TestContext, plane: Plane) {
  const [fine, failing] = await Promise.all([
    httpTarget(t, plane),
    httpTarget(t, plane, (_, response) => void response.writeHead(500).end()),
  ])
  const balancer = await Balancer.make(t, plane, {
    services: [
      httpService(80, { isSticky: true }, { healthCheck }),
      httpService(443, { certificates: [certificate('www.example.com')] }, { healthCheck }),
    ],
    targets: [targetAt(fine.address), targetAt(failing.address)],
  })
  await balancer.untilKnown()
  return { balancer, fine: fine.address, failing: failing.address }
}

function kill(balancer: Balancer): void {
  const pids = listenersOn(balancer.at(80).host)
  assert.ok(pids.length > 0, 'there is a process that listens')
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

onEachPlane('A killed data plane', import.meta.filename, (plane) => {
  test('carries traffic again within a second, and knows its targets within an interval', async (t) => {
    const { balancer, fine, failing } = await someBalancer(t, plane)
    const cookie = (await ask(balancer.at(80))).headers['set-cookie']![0]!.split(';')[0]!
    const statuses = async () =>
      [await balancer.health(fine), await balancer.health(failing)].map(({ status }) => status)
    const pauses: number[] = []
    let restored = performance.now()
    // Other tests may keep the machine busy during some of them.
    for (let kills = 0; kills < 3; kills++) {
      // Processes that die within a second, one after the other, are not replaced at once on purpose.
      await until(() => performance.now() - restored > 1_500)
      kill(balancer)
      const killed = performance.now()
      // Whoever is not known yet may be asked, the one that fails as well.
      await until(async () => [200, 500].includes(Number(await statusOf(balancer.at(80)))))
      pauses.push(performance.now() - killed)
      await until(async () => (await statusOf(balancer.at(443), { name: 'www.example.com' })) === 200)
      await until(async () => !(await statuses()).includes('unknown'))
      const unknownMs = performance.now() - killed
      // What is observed may be a second old.
      assert.ok(unknownMs < 1_000 * (intervalS + 1), `health was unknown for ${unknownMs.toFixed(0)} ms`)
      assert.deepEqual(await statuses(), ['healthy', 'unhealthy'])
      assert.equal((await ask(balancer.at(80), { headers: { cookie } })).body, fine)
      await balancer.change({ maxConnections: 100 + kills })
      assert.equal((await balancer.observe()).generation, balancer.state.generation)
      restored = performance.now()
    }
    const pauseMs = Math.min(...pauses)
    assert.ok(pauseMs < 1_000, `traffic paused for ${pauseMs.toFixed(0)} ms`)
  })
})
