/** Who gets the next connection. */
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, httpCheck, httpService, tcpService } from '../kit/balancers.ts'
import { ask, dial, echo, read, statusOf } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import type { Plane } from '../kit/planes.ts'
import { echoTarget, httpTarget, listen } from '../kit/targets.ts'

const checked = { healthCheck: httpCheck({}, { path: '/health' }) }
const httpTargets = (t: TestContext, plane: Plane, count: number) =>
  Promise.all(Array.from({ length: count }, () => httpTarget(t, plane)))

onEachPlane('Algorithms', import.meta.filename, (plane) => {
  test('round robin gives all targets the same', async (t) => {
    const targets = await httpTargets(t, plane, 3)
    const balancer = await Balancer.ready(t, plane, {
      services: [httpService(80, {}, checked)],
      targets: targets.map(({ address }) => targetAt(address)),
    })
    for (let i = 0; i < 300; i++) await ask(balancer.at(80))
    for (const { address, requests } of targets) {
      assert.ok(Math.abs(requests.length - 100) <= 1, `${address} got ${requests.length} of 300 requests`)
    }
  })

  test('round robin gives all targets the same connections of TCP', async (t) => {
    const targets = await Promise.all([echoTarget(t, plane), echoTarget(t, plane)])
    const balancer = await Balancer.ready(t, plane, {
      services: [tcpService(90)],
      targets: targets.map(({ address }) => targetAt(address)),
    })
    for (let i = 0; i < 20; i++) (await echoed(t, balancer)).destroy()
    for (const { total } of targets) assert.ok(Math.abs(total() - 10) <= 1, `${total()} of 20 connections`)
  })

  test('least connections gives the next one to who has the fewest', async (t) => {
    const [one, other] = [await naming(t, plane), await naming(t, plane)]
    const balancer = await Balancer.ready(t, plane, {
      algorithm: 'least_connections',
      services: [tcpService(90)],
      targets: [targetAt(one.address), targetAt(other.address)],
    })
    const open: Socket[] = []
    for (let i = 0; i < 10; i++) {
      const socket = await dial(t, balancer.at(90))
      socket.write('Who are you?')
      if ((await read(socket, one.address.length)).toString() === one.address) open.push(socket)
    }
    const counts = () => [one, other].map(({ connections }) => connections.size)
    assert.deepEqual(counts(), [5, 5])
    for (const socket of open) socket.destroy()
    await until(() => one.connections.size === 0)
    for (let i = 0; i < 5; i++) {
      const socket = await dial(t, balancer.at(90))
      socket.write('Who are you?')
      assert.equal((await read(socket, one.address.length)).toString(), one.address)
    }
    assert.deepEqual(counts(), [5, 5])
  })

  test('targets that do not let anybody connect are passed over, even before a check says so', async (t) => {
    const [target1] = await httpTargets(t, plane, 1)
    const closed = plane.targetAddress()
    // Checked elsewhere, where it is fine.
    await httpTarget(t, plane, undefined, { address: closed, port: 8092 })
    await httpTarget(t, plane, undefined, { address: target1!.address, port: 8092 })
    const healthCheck = httpCheck({ port: 8092 }, { path: '/health' })
    const balancer = await Balancer.ready(t, plane, {
      services: [httpService(80, {}, { healthCheck })],
      targets: [targetAt(closed), targetAt(target1!.address)],
    })
    for (let i = 0; i < 6; i++) assert.equal((await ask(balancer.at(80))).body, target1!.address)
  })

  test('without targets, and with unhealthy ones alone, the answer is 503', async (t) => {
    const balancer = await Balancer.make(t, plane, { services: [httpService(80, {}, checked)] })
    assert.equal(await statusOf(balancer.at(80)), 503)
    const failing = await httpTarget(t, plane, (_, response) => void response.writeHead(500).end())
    await balancer.change({ targets: [targetAt(failing.address)] })
    await balancer.untilStatus(failing.address, 'unhealthy')
    const before = failing.requests.length
    assert.equal(await statusOf(balancer.at(80)), 503)
    assert.equal(failing.requests.length, before)
  })
})

/** Says its address to whoever asks for something. */
async function naming(t: TestContext, plane: Plane) {
  const connections = new Set<Socket>()
  const server = createServer((socket) => {
    socket.once('data', () => {
      connections.add(socket)
      socket.once('close', () => connections.delete(socket)).write(at.address)
    })
  })
  const at = await listen(t, plane, server)
  return { ...at, connections }
}

/** A connection over which something came back. */
async function echoed(t: TestContext, balancer: Balancer) {
  const socket = await dial(t, balancer.at(90))
  assert.equal(await echo(socket, 'hello'), 'hello')
  return socket
}
