import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request as httpRequest, type RequestListener } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { until } from '../../../../test/kit/database/bare-database.ts'
import { freePort } from '../../../../test/kit/ports.ts'
import { plainHttp, targetAt } from '../../../../test/kit/samples/balancer-states.ts'
import { selfSigned } from '../../../../test/kit/samples/certificates.ts'
import {
  converse,
  listenHttp,
  ownAddress,
  portOf,
  serviceTo,
  stateOf,
} from '../../../../test/stubs/embedded-balancer.ts'
import { Balancer } from './balancer.ts'

const address = ownAddress()
const quiet = { portOffset: 0, report: () => undefined }

/** What targets got: the first line and the headers of each request, and its body. */
interface Seen {
  readonly line: string
  readonly headers: readonly string[]
  readonly body: string
}

const closing = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

describe('hostile clients', () => {
  let balancer: Balancer
  let port: number
  let securePort: number
  let seen: Seen[] = []
  let begun = 0
  let respond: RequestListener = (_, response) => response.end('fine')
  let target: Awaited<ReturnType<typeof listenHttp>>

  before(async () => {
    target = await listenHttp(address, (request, response) => {
      begun++
      let body = ''
      request.setEncoding('latin1').on('data', (text) => {
        body += text
      })
      request.on('end', () => {
        seen.push({ line: `${request.method} ${request.url}`, headers: request.rawHeaders, body })
        respond(request, response)
      })
    })
    port = await freePort(address)
    securePort = await freePort(address)
    const { certificate: chain, private_key: privateKey } = selfSigned('www.example.com')
    const http = { ...plainHttp, certificates: [{ id: 1, chain, privateKey }] }
    balancer = new Balancer(stateOf(address, {}), quiet)
    await balancer.apply(
      stateOf(address, {
        services: [
          serviceTo(portOf(target), { listenPort: port }),
          serviceTo(portOf(target), { listenPort: securePort, protocol: 'https', http }),
        ],
        targets: [targetAt(address)],
      }),
    )
  })
  after(() => {
    balancer.close()
    target.close()
    target.closeAllConnections()
  })
  beforeEach(() => {
    seen = []
    respond = (_, response) => response.end('fine')
  })

  const ambiguous: readonly [string, string][] = [
    [
      'both lengths',
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 36\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a list of lengths', 'Content-Length: 0, 36\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a signed length', 'Content-Length: +36\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'an unknown coding',
      'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    ['a hidden coding', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'a folded header',
      'X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    ['a bare line feed', 'X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['two hosts', 'Host: b\r\n\r\n'],
  ]
  for (const [name, rest] of ambiguous) {
    test(`cannot smuggle a request with ${name}`, async () => {
      const answer = await converse(address, port, `POST / HTTP/1.1\r\nHost: a\r\n${rest}`)
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.deepEqual(
        seen.filter(({ line }) => line.includes('smuggled')),
        [],
      )
    })
  }

  test('cannot take the length of a body away with Connection', async () => {
    const body = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
    const length = `Content-Length: ${body.length}\r\nConnection: close, Content-Length, Host\r\n`
    await converse(address, port, `POST /whole HTTP/1.1\r\nHost: a\r\n${length}\r\n${body}`)
    assert.deepEqual(
      seen.map(({ line, body }) => ({ line, body })),
      [{ line: 'POST /whole', body }],
    )
    assert.ok(seen[0]!.headers.includes('Host'))
  })

  test('cannot say who they are, or keep headers of their own connection', async () => {
    const lines = [
      'X-Forwarded-For: 192.0.2.1',
      'x-forwarded-proto: https',
      'X-Forwarded-Port: 1',
      'X-Own: 1',
      'Te: gzip',
    ]
    await converse(
      address,
      port,
      `GET / HTTP/1.1\r\nHost: a\r\nConnection: close, x-own\r\n${lines.join('\r\n')}\r\n\r\n`,
    )
    const { headers } = seen[0]!
    assert.equal(headers[headers.indexOf('X-Forwarded-For') + 1], '192.0.2.1, 127.0.0.1')
    assert.equal(headers[headers.indexOf('X-Forwarded-Proto') + 1], 'http')
    assert.equal(headers[headers.indexOf('X-Forwarded-Port') + 1], String(port))
    assert.deepEqual(headers.filter((header) => /^(x-own|te)$|^x-forwarded-(for|proto|port)$/i.test(header)).length, 3)
  })

  test('with headers that are too long get 431', async () => {
    assert.match(
      await converse(address, port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
      /^HTTP\/1\.1 431 /,
    )
  })

  test('that ask for an absolute URL are served by its host', async () => {
    await converse(address, port, 'GET http://b.example:81?q HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    assert.equal(seen[0]!.line, 'GET /?q')
    assert.equal(seen[0]!.headers[seen[0]!.headers.indexOf('Host') + 1], 'b.example:81')
  })

  test('of HTTP/2 cannot send what HTTP/1.1 would read in another way', async () => {
    const session = connectHttp2(`https://${address}:${securePort}`, { rejectUnauthorized: false })
    session.on('error', () => session.destroy())
    const ask = async (headers: Record<string, string>, body = '') => {
      const stream = session.request({ ':method': 'POST', ...headers })
      stream.on('error', () => stream.close())
      stream.end(body)
      const answered = once(stream, 'response').then(
        ([head]) => String(head[':status']),
        () => 'reset',
      )
      stream.resume()
      await once(stream, 'close').catch(() => undefined)
      return Promise.race([answered, Promise.resolve('reset')])
    }
    try {
      assert.equal(await ask({ ':path': '/good', cookie: 'a=1' }, 'body'), '200')
      assert.notEqual(await ask({ ':path': '/ HTTP/1.1\r\nHost: a\r\n\r\nGET /smuggled' }), '200')
      assert.notEqual(await ask({ ':path': '/', 'content-length': '3' }, 'GET /smuggled HTTP/1.1\r\n\r\n'), '200')
    } finally {
      session.destroy()
    }
    assert.equal(seen[0]!.body, 'body')
    assert.deepEqual(
      seen.filter(({ line }) => line.includes('smuggled')),
      [],
    )
  })

  test('that upgrade while they wait for an answer are cut, and nobody else is', async () => {
    const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    respond = () => undefined
    assert.equal(await converse(address, port, `GET / HTTP/1.1\r\nHost: a\r\n\r\n${upgrade}`), '')
    respond = (_, response) => response.end('fine')
    assert.match(await converse(address, port, closing), /^HTTP\/1\.1 200 /)
  })

  test('that send many requests at once cost the target one connection', async () => {
    let most = 0
    respond = (_, response) => {
      most = Math.max(most, seen.length)
      response.end('fine')
      seen = []
    }
    const many = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50) + closing
    const answer = await converse(address, port, many)
    assert.equal(answer.split('fine').length - 1, 51)
    assert.equal(most, 1)
    assert.equal(await converse(address, port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(500)), '')
  })

  test('cannot have a cookie or a header of an earlier request', async () => {
    const first = 'GET /1 HTTP/1.1\r\nHost: a\r\nCookie: a=1\r\n\r\n'
    await converse(address, port, `${first}GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    assert.deepEqual(
      seen.map(({ line }) => line),
      ['GET /1', 'GET /2'],
    )
    assert.ok(!seen[1]!.headers.includes('Cookie'))
  })

  test('that give up a thousand requests leave no connection', async () => {
    respond = () => undefined
    begun = 0
    const agent = new Agent({ keepAlive: false })
    for (let batch = 0; batch < 10; batch++) {
      const requests = Array.from({ length: 100 }, (_, index) => {
        const method = index % 2 ? 'POST' : 'GET'
        const request = httpRequest({ host: address, port, agent, method, path: '/' })
        request.on('error', () => request.destroy())
        if (method === 'POST') request.write('some')
        else request.end()
        return request
      })
      await until(() => begun >= 100 * (batch + 1))
      for (const request of requests) request.destroy()
    }
    await until(() => balancer.meter.openConnections === 0)
    // One of each service may be a health check.
    await until(async () => (await connectionsOf(target)) <= 2)
    respond = (_, response) => response.end('fine')
    assert.match(
      await converse(address, port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 200 /,
    )
  })
})

test('connections beyond the most that a balancer has are refused', async () => {
  const target = await listenHttp(address, (_, response) => response.end())
  const port = await freePort(address)
  const balancer = new Balancer(stateOf(address, {}), quiet)
  const sockets = []
  try {
    const services = [serviceTo(portOf(target), { listenPort: port })]
    await balancer.apply(stateOf(address, { services, targets: [targetAt(address)], maxConnections: 3 }))
    for (let at = 0; at < 3; at++) sockets.push(connect(port, address))
    await until(() => balancer.meter.openConnections === 3)
    assert.equal(await converse(address, port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), '')
    sockets.pop()!.destroy()
    await until(() => balancer.meter.openConnections === 2)
    assert.match(await converse(address, port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), /200/)
  } finally {
    for (const socket of sockets) socket.destroy()
    balancer.close()
    target.close()
  }
})

function connectionsOf(server: { getConnections(done: (error: Error | null, count: number) => void): unknown }) {
  return new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}
