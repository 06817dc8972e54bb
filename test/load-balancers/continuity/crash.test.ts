/**
 * A data plane whose process is killed: traffic flows again, and what was known is known again. How soon is measured in
 * bench.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, certificate, httpCheck, httpService } from '../kit/balancers.ts'
import { ask, statusOf } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import type { Plane } from '../kit/planes.ts'
import { listenersOn } from '../kit/processes.ts'
import { httpTarget } from '../kit/targets.ts'

const healthCheck = httpCheck({}, { path: '/health' })

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
  test('carries traffic again, and knows its targets and whose clients are whose', async (t) => {
    const { balancer, fine, failing } = await someBalancer(t, plane)
    const cookie = (await ask(balancer.at(80))).headers['set-cookie']![0]!.split(';')[0]!
    const statuses = async () =>
      [await balancer.health(fine), await balancer.health(failing)].map(({ status }) => status)
    for (let kills = 0; kills < 3; kills++) {
      kill(balancer)
      // Whoever is not known yet may be asked, the one that fails as well.
      await until(async () => [200, 500].includes(Number(await statusOf(balancer.at(80)))))
      await until(async () => (await statusOf(balancer.at(443), { name: 'www.example.com' })) === 200)
      await until(async () => !(await statuses()).includes('unknown'))
      assert.deepEqual(await statuses(), ['healthy', 'unhealthy'])
      assert.equal((await ask(balancer.at(80), { headers: { cookie } })).body, fine)
      await balancer.change({ maxConnections: 100 + kills })
      assert.equal((await balancer.observe()).generation, balancer.state.generation)
    }
  })
})
