/** Health checks: what they say of targets that fail in different ways, when they say it, and what they ask for. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Health, UnhealthyDetail } from '../../src/families/load-balancers/driver.ts'
import { until } from '../kit/database/bare-database.ts'
import { targetAt } from '../kit/samples/balancer-states.ts'
import { isLong } from '../run/long.ts'
import { Balancer, httpCheck, httpService, tcpService } from './kit/balancers.ts'
import { ask } from './kit/clients.ts'
import { onEachPlane } from './kit/each-plane.ts'
import type { Plane } from './kit/planes.ts'
import {
  answering,
  babbling,
  echoTarget,
  httpTarget,
  type Place,
  resetting,
  silent,
  stalling,
  swallowing,
} from './kit/targets.ts'

const healthy: Health = { status: 'healthy' }
const unhealthy = (detail: UnhealthyDetail, httpStatusCode: number | null = null): Health => ({
  status: 'unhealthy',
  detail,
  httpStatusCode,
})

const ports = { http: 80, tls: 81, tcp: 82 }

interface Kind {
  readonly what: string
  readonly make: (t: TestContext, plane: Plane) => Promise<Pick<Place, 'address'>>
  readonly checkedBy?: keyof typeof ports
  readonly expected: Health
}

/** Every kind of target that a check tells apart. */
const kinds: readonly Kind[] = [
  {
    what: 'the port is closed',
    make: async (_, plane) => ({ address: plane.targetAddress() }),
    expected: unhealthy('layer4_no_connection'),
  },
  {
    what: 'nothing leads there',
    make: async (_, plane) => ({ address: plane.site.unroutable }),
    expected: unhealthy('layer4_no_connection'),
  },
  { what: 'requests for connections are swallowed', make: swallowing, expected: unhealthy('layer4_timeout') },
  { what: 'it accepts and stays silent', make: silent, expected: unhealthy('layer7_timeout') },
  { what: 'it sends a header and stays silent', make: stalling, expected: unhealthy('layer7_timeout') },
  {
    what: 'it answers 500',
    make: (t, plane) => answering(t, plane, '500 Internal Server Error', 'fine'),
    expected: unhealthy('unexpected_http_status', 500),
  },
  {
    what: 'it answers with another body',
    make: (t, plane) => answering(t, plane, '200 OK', 'fin'),
    expected: unhealthy('unexpected_http_content'),
  },
  { what: 'it does not speak HTTP', make: babbling, expected: unhealthy('unspecified') },
  { what: 'it resets the connection', make: resetting, expected: unhealthy('unspecified') },
  {
    what: 'it has no TLS where the check does',
    make: (t, plane) => httpTarget(t, plane),
    checkedBy: 'tls',
    expected: unhealthy('unspecified'),
  },
  { what: 'it is fine', make: (t, plane) => answering(t, plane, '200 OK', 'all fine'), expected: healthy },
  { what: 'it redirects', make: (t, plane) => answering(t, plane, '302 Found', 'fine'), expected: healthy },
  {
    what: 'it accepts connections, which is all that is checked',
    make: echoTarget,
    checkedBy: 'tcp',
    expected: healthy,
  },
]

onEachPlane('Health checks', import.meta.filename, (plane) => {
  test('tell all kinds of targets apart in time', async (t) => {
    // Linux forgets a refusal that comes while it still connects, but not that of its second attempt, a second later.
    const timing = { interval: 2, timeout: 2, retries: 3 }
    const places = await Promise.all(kinds.map(({ make }) => make(t, plane)))
    const balancer = await Balancer.make(t, plane, {
      services: [
        httpService(ports.http, {}, { healthCheck: httpCheck(timing, { response: 'fine' }) }),
        httpService(ports.tls, {}, { healthCheck: httpCheck(timing, { usesTls: true }) }),
        tcpService(ports.tcp),
      ],
      targets: places.map(({ address }) => targetAt(address)),
    })
    // How soon this is holds on a machine that has nothing else to do, where the long form runs.
    const seconds = isLong ? timing.interval * timing.retries + timing.timeout : 60
    const deadline = performance.now() + 1_000 * seconds
    const found = () =>
      Promise.all(
        kinds.map(({ checkedBy = 'http' }, index) => balancer.health(places[index]!.address, ports[checkedBy])),
      )
    const wanted = kinds.map(({ expected }) => expected)
    let seen = await found()
    while (!isDeepStrictEqual(seen, wanted) && performance.now() < deadline) {
      await delay(50)
      seen = await found()
    }
    assert.deepEqual(
      seen.map((health, index) => [kinds[index]!.what, health]),
      kinds.map(({ what, expected }) => [what, expected]),
    )
  })

  test('decide with the first one alone, and nothing is known before', async (t) => {
    // Neither fails nor succeeds twice in a row, so that no later check decides anything.
    let isFine = true
    const fickle = await httpTarget(t, plane, (_, response) => {
      isFine = !isFine
      response.writeHead(isFine ? 200 : 503).end()
    })
    const asked: ServerResponse[] = []
    const slow = await httpTarget(t, plane, (_, response) => void asked.push(response))
    const healthCheck = httpCheck({ timeout: 60 }, { path: '/health' })
    const balancer = await Balancer.make(t, plane, {
      services: [httpService(80, {}, { healthCheck })],
      targets: [targetAt(fickle.address), targetAt(slow.address)],
    })
    await until(() => fickle.checks.length > 3 && asked.length === 1)
    await balancer.untilStatus(fickle.address, 'unhealthy')
    assert.deepEqual(await balancer.health(slow.address), { status: 'unknown' })
    asked[0]!.writeHead(503).end()
    await balancer.untilStatus(slow.address, 'unhealthy')
  })

  test('decide with the first one alone also when the balancer changed before that', async (t) => {
    const { address } = await httpTarget(t, plane, (_, response) => void response.writeHead(500).end())
    const service = httpService(80, {}, { healthCheck: httpCheck({ interval: 3 }, { path: '/health' }) })
    // Of many targets, those that are checked last are unknown during the changes.
    const services = [81, 82, 83, 84].map((listenPort) => ({ ...service, listenPort }))
    const balancer = await Balancer.make(t, plane, { services, targets: [targetAt(address)] })
    for (const maxConnections of [100, 101]) await balancer.change({ maxConnections })
    await balancer.untilKnown()
    const { health } = await balancer.observe()
    const no = unhealthy('unexpected_http_status', 500)
    assert.deepEqual(
      health.map((one) => one.health),
      services.map(() => no),
    )
  })

  test('change their mind after as many in a row as they shall', async (t) => {
    const answers = [200, 500, 200, 500, 500, 200, 500, 200, 200]
    const asked: ServerResponse[] = []
    const { address } = await httpTarget(t, plane, (_, response) => void asked.push(response))
    const healthCheck = httpCheck({ timeout: 60, retries: 2 }, { path: '/health' })
    const balancer = await Balancer.make(t, plane, {
      services: [httpService(80, {}, { healthCheck })],
      targets: [targetAt(address)],
    })
    /** The status while a check waits for its answer, which has been decided by the answers before. */
    const statusBefore = async (answer: number) => {
      await until(() => asked.length > answer)
      return (await balancer.health(address)).status
    }
    const statuses: Health['status'][] = []
    for (const [at, status] of answers.entries()) {
      statuses.push(await statusBefore(at))
      asked[at]!.writeHead(status).end()
    }
    statuses.push(await statusBefore(answers.length))
    const [failing, fine] = [Array(4).fill('unhealthy'), Array(4).fill('healthy')]
    assert.deepEqual(statuses, ['unknown', ...fine, ...failing, 'healthy'])
  })

  test('stay known when something else changes', async (t) => {
    const fine = await httpTarget(t, plane)
    const failing = await httpTarget(t, plane, (_, response) => void response.writeHead(418).end())
    const service = httpService(80, {}, { healthCheck: httpCheck({ interval: 3, retries: 3 }) })
    const targets = [targetAt(fine.address), targetAt(failing.address)]
    const balancer = await Balancer.make(t, plane, { services: [service], targets })
    await balancer.untilKnown()
    const more = await httpTarget(t, plane)
    await balancer.change({ targets: [...targets, targetAt(more.address)] })
    assert.deepEqual(await balancer.health(fine.address), healthy)
    assert.deepEqual(await balancer.health(failing.address), unhealthy('unexpected_http_status', 418))
    await balancer.change({ services: [{ ...service, http: { ...service.http!, isSticky: true } }] })
    assert.deepEqual(await balancer.health(failing.address), unhealthy('unexpected_http_status', 418))
    await balancer.untilKnown()
    assert.deepEqual(await balancer.health(more.address), healthy)
  })

  test('stay known when something else changes while they run', async (t) => {
    let isSlow = false
    let held = 0
    const failing = await httpTarget(t, plane, (_, response) => {
      if (isSlow) held++
      else response.writeHead(418).end()
    })
    const fine = await httpTarget(t, plane)
    const healthCheck = httpCheck({}, { path: '/health' })
    const balancer = await Balancer.make(t, plane, {
      services: [httpService(80, {}, { healthCheck })],
      targets: [targetAt(failing.address), targetAt(fine.address)],
    })
    await balancer.untilKnown()
    isSlow = true
    await until(() => held > 0)
    await balancer.change({ maxConnections: 100 })
    assert.deepEqual(await balancer.health(failing.address), unhealthy('unexpected_http_status', 418))
    for (let turn = 0; turn < 4; turn++) assert.equal((await ask(balancer.at(80))).body, fine.address)
    assert.equal(failing.requests.length, 0)
  })

  test('ask for what they shall, where they shall', async (t) => {
    const port = 8181
    const address = plane.targetAddress()
    const checked = await httpTarget(t, plane, undefined, { address, port })
    const named = { domain: 'www.example.com', path: '/health?a=%20b&c="d"', response: address }
    const balancer = await Balancer.make(t, plane, {
      services: [
        httpService(80, {}, { healthCheck: httpCheck({ port }, named) }),
        httpService(81, {}, { healthCheck: httpCheck({ port }, { path: '/health/bare' }) }),
      ],
      targets: [targetAt(address)],
    })
    await balancer.untilKnown()
    for (const listenPort of [80, 81]) assert.deepEqual(await balancer.health(address, listenPort), healthy)
    const asked = (url: string) => checked.checks.find((each) => each.url === url)
    assert.equal(asked('/health?a=%20b&c="d"')?.headers.host, 'www.example.com')
    assert.equal(asked('/health/bare')?.headers.host, undefined)
    assert.equal(asked('/health/bare')?.version, '1.0')
  })

  test('take statuses by their patterns', async (t) => {
    const { address } = await httpTarget(t, plane, (_, response) => void response.writeHead(404).end())
    const patterns = [['404'], ['4??'], ['4*'], ['*'], ['2??', '40?'], ['2??'], ['5*'], ['40']]
    const services = patterns.map((statusCodes, index) =>
      httpService(100 + index, {}, { healthCheck: httpCheck({}, { statusCodes }) }),
    )
    const balancer = await Balancer.make(t, plane, { services, targets: [targetAt(address)] })
    await balancer.untilKnown()
    const statuses = await Promise.all(services.map(({ listenPort }) => balancer.health(address, listenPort)))
    const no = unhealthy('unexpected_http_status', 404)
    assert.deepEqual(statuses, [healthy, healthy, healthy, healthy, healthy, no, no, no])
  })

  test('that fail keep traffic away, and those that succeed bring it back', async (t) => {
    let isFine = true
    const moody = await httpTarget(t, plane, (_, response) => void response.writeHead(isFine ? 200 : 500).end('moody'))
    const { address } = await httpTarget(t, plane)
    const service = httpService(80, {}, { healthCheck: httpCheck({ retries: 2 }, { path: '/health' }) })
    const balancer = await Balancer.ready(t, plane, {
      services: [service],
      targets: [targetAt(moody.address), targetAt(address)],
    })
    const bodies = async () =>
      new Set(await Promise.all(Array.from({ length: 8 }, async () => (await ask(balancer.at(80))).body)))
    assert.equal((await bodies()).size, 2)
    isFine = false
    await balancer.untilStatus(moody.address, 'unhealthy')
    assert.deepEqual(await bodies(), new Set([address]))
    isFine = true
    await balancer.untilStatus(moody.address, 'healthy')
    await until(async () => (await bodies()).size === 2)
  })
})
