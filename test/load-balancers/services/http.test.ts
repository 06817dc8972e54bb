/** Services of HTTP: what targets and clients see of each other's headers, redirects, and WebSockets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import { test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { until } from '../../kit/database/bare-database.ts'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, certificate, httpCheck, httpService, tcpService } from '../kit/balancers.ts'
import { ask, dial, read, statusOf } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import { overWebSocket } from '../kit/load.ts'
import { httpTarget, listen } from '../kit/targets.ts'

const healthCheck = httpCheck({}, { path: '/health' })

onEachPlane('HTTP', import.meta.filename, (plane) => {
  test('tells targets who asked, and how', async (t) => {
    const { address, requests } = await httpTarget(t, plane)
    const balancer = await Balancer.ready(t, plane, {
      services: [
        httpService(80, {}, { healthCheck }),
        httpService(443, { certificates: [certificate('www.example.com')] }, { healthCheck }),
      ],
      targets: [targetAt(address)],
    })
    const plain = await ask(balancer.at(80), { path: '/a?b=c', headers: { host: 'www.example.com:80' } })
    const seen = requests.at(-1)!
    const client = plain.from.split(':')[0]
    assert.deepEqual([seen.method, seen.url, seen.headers.host], ['GET', '/a?b=c', 'www.example.com:80'])
    assert.equal(seen.headers['x-forwarded-for'], client)
    assert.equal(seen.headers['x-forwarded-proto'], 'http')
    assert.equal(seen.headers['x-forwarded-port'], '80')

    const forged = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'gopher', 'x-forwarded-port': '1' }
    await ask(balancer.at(443), { name: 'www.example.com', headers: forged })
    const { headers, rawHeaders } = requests.at(-1)!
    // Node.js joins repeated headers of this name in their order.
    assert.equal(headers['x-forwarded-for'], `192.0.2.7, ${client}`)
    assert.equal(headers['x-forwarded-proto'], 'https')
    assert.equal(headers['x-forwarded-port'], '443')
    const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    for (const name of ['x-forwarded-proto', 'x-forwarded-port']) {
      assert.equal(names.filter((one) => one === name).length, 1, name)
    }
  })

  test('passes headers on as they are, in both directions', async (t) => {
    const { address, requests } = await httpTarget(t, plane, (_, response) => {
      response.writeHead(404, 'Nothing There', [
        ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Empty', '', 'X-Bytes', '\xfc', 'Content-Length', '2'],
      ])
      // With a text, Node.js would spell the header in UTF-8 as well.
      response.end(Buffer.from('no'))
    })
    const balancer = await Balancer.ready(t, plane, {
      services: [httpService(80, {}, { healthCheck: httpCheck({}, { path: '/health', statusCodes: ['404'] }) })],
      targets: [targetAt(address)],
    })
    const headers = { 'x-mixed-case': 'Value', 'x-twice': ['1', '2'], authorization: 'Basic YTpi', cookie: 'c=3; d=4' }
    const answer = await ask(balancer.at(80), { headers })
    assert.deepEqual([answer.status, answer.body], [404, 'no'])
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
    assert.deepEqual([answer.headers['x-empty'], answer.headers['x-bytes']], ['', '\xfc'])
    const seen = requests.at(-1)!.headers
    assert.deepEqual([seen['x-mixed-case'], seen.authorization, seen.cookie], ['Value', 'Basic YTpi', 'c=3; d=4'])
    assert.equal(seen['x-twice'], '1, 2')
  })

  test('keeps connections of clients, and serves requests that come at once in their order', async (t) => {
    const { address, requests } = await httpTarget(t, plane, ({ url }, response) => {
      setTimeout(() => response.end(`<${url}>`), url === '/1' ? 50 : 0)
    })
    const balancer = await Balancer.ready(t, plane, {
      services: [httpService(80, {}, { healthCheck })],
      targets: [targetAt(address)],
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const from = new Set<string>()
    for (let i = 0; i < 5; i++) from.add((await ask(balancer.at(80), { agent, path: '/kept' })).from)
    assert.equal(from.size, 1)
    const socket = await dial(t, balancer.at(80))
    const request = (n: number, more = '') => `GET /${n} HTTP/1.1\r\nHost: a\r\n${more}\r\n`
    const answers = read(socket)
    socket.write(request(1) + request(2) + request(3, 'Connection: close\r\n'))
    assert.deepEqual((await answers).toString().match(/<\/\d>/g), ['</1>', '</2>', '</3>'])
    assert.deepEqual(
      requests.slice(-3).map(({ url }) => url),
      ['/1', '/2', '/3'],
    )
  })

  test('redirects to HTTPS, to where clients find it', async (t) => {
    const secure = { certificates: [certificate('www.example.com')], redirectsHttp: true }
    const usual = await Balancer.make(t, plane, { services: [httpService(443, secure)] })
    const other = await Balancer.make(t, plane, { services: [httpService(8443, secure)] })
    const locationOf = async (balancer: Balancer, host: string, path: string) => {
      const { status, headers } = await ask(balancer.at(80), { path, headers: { host } })
      assert.equal(status, 301)
      return headers.location
    }
    assert.equal(await locationOf(usual, 'www.example.com', '/a?b=c%20d'), 'https://www.example.com/a?b=c%20d')
    assert.equal(await locationOf(usual, 'www.example.com:80', '/'), 'https://www.example.com/')
    assert.equal(await locationOf(usual, '[2001:db8::1]:80', '/x'), 'https://[2001:db8::1]/x')
    assert.equal(await locationOf(usual, '[2001:db8::1]', '/x'), 'https://[2001:db8::1]/x')
    assert.equal(await locationOf(other, 'www.example.com', '/a'), 'https://www.example.com:8443/a')
    assert.equal(await locationOf(other, '[2001:db8::1]:80', '/x'), 'https://[2001:db8::1]:8443/x')
    // Another service on port 80 comes first.
    const { address } = await httpTarget(t, plane)
    await usual.change({ services: [httpService(443, secure), httpService(80)], targets: [targetAt(address)] })
    await until(async () => (await statusOf(usual.at(80))) === 200)
  })

  test('carries WebSockets, and what else is upgraded to', async (t) => {
    const server = createServer()
    const sockets = new WebSocketServer({ noServer: true })
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))))
    server.on('upgrade', (request, socket, head) => {
      if (request.headers.upgrade === 'websocket') {
        sockets.handleUpgrade(request, socket, head, (one) => sockets.emit('connection', one))
        return
      }
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      socket.pipe(socket)
    })
    const { address } = await listen(t, plane, server)
    const balancer = await Balancer.ready(t, plane, {
      services: [httpService(80), httpService(443, { certificates: [certificate('www.example.com')] })],
      targets: [targetAt(address)],
    })
    for (const [scheme, port] of [
      ['ws', 80],
      ['wss', 443],
    ] as const) {
      const { host, port: at } = balancer.at(port)
      const socket = new WebSocket(`${scheme}://${host}:${at}/`, { rejectUnauthorized: false })
      t.after(() => socket.terminate())
      await once(socket, 'open')
      const long = 'long '.repeat(100_000)
      for (const message of ['short', long]) assert.equal(await overWebSocket(socket)(message), message)
      socket.close(4_000)
      const [code] = await once(socket, 'close')
      assert.equal(code, 4_000)
    }
    const socket = await dial(t, balancer.at(80))
    const upgraded = 'upgraded at once'
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n${upgraded}`)
    let text = ''
    while (!text.endsWith(upgraded)) text += (await read(socket, 1)).toString()
    assert.match(text, /^HTTP\/1\.1 101 /)
  })

  test('says that a target failed', async (t) => {
    const { address } = await httpTarget(t, plane, ({ url, socket }, response) => {
      if (url === '/health') response.end()
      else if (url === '/reset') socket.resetAndDestroy()
      else socket.end('SSH-2.0-none\r\n')
    })
    const balancer = await Balancer.ready(t, plane, {
      services: [httpService(80, {}, { healthCheck })],
      targets: [targetAt(address)],
    })
    for (const path of ['/reset', '/garbage']) assert.equal(await statusOf(balancer.at(80), { path }), 502)
  })

  test('adds and removes services, and leaves the others alone', async (t) => {
    const { address } = await httpTarget(t, plane)
    const services = [httpService(80), tcpService(81)]
    const balancer = await Balancer.ready(t, plane, { services, targets: [targetAt(address)] })
    assert.deepEqual([await statusOf(balancer.at(80)), await statusOf(balancer.at(81))], [200, 200])
    await balancer.change({ services: [services[0]!, httpService(82)] })
    await until(async () => (await statusOf(balancer.at(81))) === 'ECONNREFUSED')
    assert.deepEqual([await statusOf(balancer.at(80)), await statusOf(balancer.at(82))], [200, 200])
  })
})
