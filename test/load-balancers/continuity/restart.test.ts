/** A restart of the API server: balancers that outlive it go on untouched, others are as before once they are told. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, httpCheck, httpService, tcpService } from '../kit/balancers.ts'
import { ask, dial, echo } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import { echoTarget, httpTarget } from '../kit/targets.ts'

const healthCheck = httpCheck({}, { path: '/health' })

onEachPlane('A restart of the API server', import.meta.filename, (plane) => {
  test('changes nothing for clients that come back', async (t) => {
    const targets = [await httpTarget(t, plane), await httpTarget(t, plane)]
    const port = 9000
    for (const { address } of targets) await echoTarget(t, plane, { address, port })
    const services = [
      httpService(80, { isSticky: true }, { healthCheck }),
      tcpService(90, { destinationPort: port, healthCheck }),
    ]
    const balancer = await Balancer.ready(t, plane, {
      services,
      targets: targets.map(({ address }) => targetAt(address)),
    })
    const first = await ask(balancer.at(80))
    const cookie = first.headers['set-cookie']![0]!.split(';')[0]!
    const inventory = await plane.driver.inventory()
    assert.deepEqual(inventory?.balancers, [balancer.id])
    const kept = await dial(t, balancer.at(90))
    kept.on('error', () => undefined)
    assert.equal(await echo(kept, 'there'), 'there')

    await plane.reopen()

    const isTheSame = (await plane.driver.inventory())?.epoch === inventory.epoch
    if (isTheSame) {
      assert.deepEqual(await balancer.health(first.body, 80), { status: 'healthy' })
      assert.equal((await ask(balancer.at(80))).status, 200)
    } else await plane.driver.apply(balancer.state)
    await balancer.untilHealthy()
    for (let i = 0; i < 4; i++) assert.equal((await ask(balancer.at(80), { headers: { cookie } })).body, first.body)
    await balancer.change({ algorithm: 'least_connections' })
    assert.equal((await ask(balancer.at(80), { headers: { cookie } })).body, first.body)
    assert.equal((await plane.driver.inventory())?.epoch === inventory.epoch, isTheSame)
    if (isTheSame) assert.equal(await echo(kept, 'still there'), 'still there')
  })
})
