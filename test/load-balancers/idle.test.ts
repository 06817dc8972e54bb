/** Idle connections: they end when they shall, neither sooner nor much later, and others stay. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket, WebSocketServer } from 'ws'
import { targetAt } from '../kit/samples/balancer-states.ts'
import { isLong } from '../run/long.ts'
import { Balancer, certificate, httpService, tcpService } from './kit/balancers.ts'
import { ask, dial, echo } from './kit/clients.ts'
import { onEachPlane } from './kit/each-plane.ts'
import { overWebSocket } from './kit/load.ts'
import type { Plane } from './kit/planes.ts'
import { echoTarget, listen } from './kit/targets.ts'

const idleSeconds = 30
const tcpIdleSeconds = 50

/** Runs until something has ended, and says how long that took. */
async function timeUntil(ended: Promise<unknown>): Promise<number> {
  const started = performance.now()
  await ended
  return (performance.now() - started) / 1_000
}

function isAfter(expected: number, what: string, seconds: number): void {
  // The balancer looked at its clock a moment before the client looked at his. Other tests may keep both from it.
  const latest = isLong ? expected + 0.5 : Number.POSITIVE_INFINITY
  assert.ok(seconds > expected - 0.1 && seconds < latest, `${what} ended after ${seconds.toFixed(2)} s`)
}

/** Answers, sends back over WebSockets, and never answers `/never`. */
async function waitingTarget(t: TestContext, plane: Plane): Promise<string> {
  const server = createServer({ keepAliveTimeout: 0 }, ({ url }, response) => {
    if (url !== '/never') response.end('fine')
  })
  new WebSocketServer({ server }).on('connection', (socket) => {
    socket.on('message', (data) => socket.send(String(data)))
  })
  return (await listen(t, plane, server)).address
}

async function openWebSocket(t: TestContext, { host, port }: { host: string; port: number }): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${host}:${port}/`)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

onEachPlane('Idle connections', import.meta.filename, (plane) => {
  async function idling(t: TestContext): Promise<Balancer> {
    const address = await waitingTarget(t, plane)
    const certificates = [certificate('www.example.com')]
    const services = [
      httpService(80, { idleTimeout: idleSeconds }),
      httpService(443, { idleTimeout: idleSeconds, certificates }),
    ]
    return Balancer.ready(t, plane, { services, targets: [targetAt(address)] })
  }

  test('of HTTP are kept for as long as they shall', async (t) => {
    const balancer = await idling(t)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const closed = new Promise((resolve) => agent.once('free', (socket) => socket.once('close', resolve)))
    await ask(balancer.at(80), { agent })
    isAfter(idleSeconds, 'keep-alive', await timeUntil(closed))
  })

  test('of HTTP/2 are kept for as long as they shall', async (t) => {
    const balancer = await idling(t)
    const { host, port } = balancer.at(443)
    const session = connectHttp2(`https://${host}:${port}`, { rejectUnauthorized: false })
    t.after(() => session.destroy())
    const stream = session.request({ ':path': '/' })
    await stream.toArray()
    isAfter(idleSeconds, 'HTTP/2', await timeUntil(once(session, 'close')))
  })

  test('are not those of WebSockets that are used', async (t) => {
    const balancer = await idling(t)
    const [idle, used] = [await openWebSocket(t, balancer.at(80)), await openWebSocket(t, balancer.at(80))]
    assert.equal(await overWebSocket(idle)('once'), 'once')
    const ended = timeUntil(once(idle, 'close'))
    let isOver = false
    for (const over = ended.finally(() => (isOver = true)); !isOver; ) {
      assert.equal(await overWebSocket(used)('still here'), 'still here')
      await Promise.race([over, delay(5_000)])
    }
    isAfter(idleSeconds, 'the WebSocket', await ended)
    assert.equal(await overWebSocket(used)('and afterwards'), 'and afterwards')
  })

  test('are those of targets that do not answer: 504', async (t) => {
    const balancer = await idling(t)
    const answer = ask(balancer.at(80), { path: '/never' })
    isAfter(idleSeconds, 'waiting for an answer', await timeUntil(answer))
    assert.equal((await answer).status, 504)
  })

  if (!isLong) return
  test('of TCP are kept for as long as they shall', async (t) => {
    const { address } = await echoTarget(t, plane)
    const balancer = await Balancer.ready(t, plane, { services: [tcpService(90)], targets: [targetAt(address)] })
    const socket = await dial(t, balancer.at(90))
    assert.equal(await echo(socket, 'once'), 'once')
    isAfter(tcpIdleSeconds, 'TCP', await timeUntil(once(socket, 'end')))
  })
})
