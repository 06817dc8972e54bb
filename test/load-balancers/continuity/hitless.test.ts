/** Changes under load: no request fails and no connection ends while targets, services and certificates change. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { type TestContext, test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import type { BalancerCertificate, BalancerService } from '../../../src/families/load-balancers/driver.ts'
import { until } from '../../kit/database/bare-database.ts'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { isLong } from '../../run/long.ts'
import { Balancer, certificate, httpService, tcpService } from '../kit/balancers.ts'
import { type Asked, ask, dial } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import { Load, overTcp, overWebSocket } from '../kit/load.ts'
import type { Plane } from '../kit/planes.ts'
import { echoTarget, httpTarget, listen } from '../kit/targets.ts'

const requests = isLong ? 20_000 : 4_000
const applies = 15
const renewals = 10
const slowMs = 700

const ports = { http: 80, https: 443, tcp: 9000, more: 81 }
const name = 'www.example.com'
const echoPort = 9000
const socketPort = 9001

/** Answers at once, or late if the path asks for it. */
const mixed = (t: TestContext, plane: Plane) =>
  httpTarget(t, plane, ({ url }, response) => {
    if (url === '/slow') setTimeout(() => response.end('late'), slowMs)
    else response.end('at once')
  })

/** Four targets for HTTP. The first one also sends back what it gets by TCP and by WebSockets. */
async function busyTargets(t: TestContext, plane: Plane): Promise<string[]> {
  const targets = await Promise.all(Array.from({ length: 4 }, () => mixed(t, plane)))
  const { address } = targets[0]!
  await echoTarget(t, plane, { address, port: echoPort })
  const sockets = createServer()
  new WebSocketServer({ server: sockets }).on('connection', (socket) => {
    socket.on('message', (data) => socket.send(String(data)))
  })
  await listen(t, plane, sockets, { address, port: socketPort })
  return targets.map(({ address }) => address)
}

const secure = (one: BalancerCertificate) => httpService(ports.https, { certificates: [one] })
const services = (cookieName: string, one: BalancerCertificate) => [
  httpService(ports.http, { cookieName, isSticky: true }),
  secure(one),
  tcpService(ports.tcp, { destinationPort: echoPort }),
  httpService(ports.more, {}, { destinationPort: socketPort }),
]

/** Requests of all kinds; those with TLS note which certificates they saw. */
function startRequests(t: TestContext, load: Load, balancer: Balancer): Set<string> {
  const serials = new Set<string>()
  const plain = (asked: Asked) => () => ask(balancer.at(ports.http), asked)
  const noting = (asked: Asked) => async () => {
    const answer = await ask(balancer.at(ports.https), { name, ...asked })
    serials.add(answer.serial)
    return answer
  }
  const kept = <T extends Agent>(agent: T) => {
    t.after(() => agent.destroy())
    return { agent }
  }
  const one = { keepAlive: true, maxSockets: 1 }
  load.start('short', 4, () => plain({}))
  load.start('kept', 8, () => plain(kept(new Agent(one))))
  load.start('slow', 4, () => plain({ path: '/slow' }))
  load.start('TLS', 1, () => noting({}))
  load.start('kept TLS', 2, () => noting(kept(new TlsAgent(one))))
  return serials
}

async function keepConnections(t: TestContext, load: Load, balancer: Balancer): Promise<void> {
  load.keep('TCP', overTcp(await dial(t, balancer.at(ports.tcp))))
  const { host, port } = balancer.at(ports.more)
  const webSocket = new WebSocket(`ws://${host}:${port}/`)
  t.after(() => webSocket.terminate())
  await once(webSocket, 'open')
  load.keep('WebSocket', overWebSocket(webSocket))
}

onEachPlane('Changes under load', import.meta.filename, (plane) => {
  test(`fail none of ${requests} requests, and keep long connections`, async (t) => {
    // Every other one is another certificate than the one before, and the rest are the same, renewed.
    const certificates = Array.from({ length: renewals + 1 }, (_, index) => ({
      ...certificate(name),
      id: Math.ceil(index / 2),
    }))
    let renewed = 0
    const current = () => certificates[renewed]!
    const targets = (await busyTargets(t, plane)).map(targetAt)
    const balancer = await Balancer.ready(t, plane, { services: services('first', current()), targets })
    const load = new Load()
    const serials = startRequests(t, load, balancer)
    await keepConnections(t, load, balancer)

    const changes = [
      () => balancer.change({ targets: targets.slice(0, 3) }),
      () => balancer.change({ algorithm: 'least_connections' }),
      () => balancer.change({ services: [...services('first', current()), httpService(82)] }),
      () => balancer.change({ services: services('second', current()), targets }),
      () => balancer.change({ algorithm: 'round_robin' }),
    ]
    const renew = () => {
      renewed++
      const isSecure = ({ listenPort }: BalancerService) => listenPort === ports.https
      const all = balancer.state.services.map((service) => (isSecure(service) ? secure(current()) : service))
      return balancer.change({ services: all })
    }
    for (let done = 0; done < applies + renewals; done++) {
      if (done % 5 < 3) await changes[(done - renewed) % changes.length]!()
      else await renew()
      const share = ((done + 1) * requests) / (applies + renewals)
      const { serialNumber } = new X509Certificate(current().chain)
      const isEnough = () => load.requests >= share && serials.has(serialNumber)
      await until(() => isEnough() || load.failures.length > 0, 'there was enough load, and the certificate was seen')
    }
    await load.stop()
    assert.deepEqual(load.failures, [])
    assert.equal(renewed, renewals)
    assert.equal(serials.size, certificates.length)
  })
})
