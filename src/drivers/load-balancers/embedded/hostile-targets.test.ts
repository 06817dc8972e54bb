import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { describe, test } from 'node:test'
import { freePort } from '../../../../test/kit/ports.ts'
import { plainHttp, targetAt } from '../../../../test/kit/samples/balancer-states.ts'
import { selfSigned } from '../../../../test/kit/samples/certificates.ts'
import {
  converse,
  listenTcp,
  ownAddress,
  portOf,
  serviceTo,
  stateOf,
} from '../../../../test/stubs/embedded-balancer.ts'
import { Balancer } from './balancer.ts'

const address = ownAddress()
const quiet = { portOffset: 0, report: () => undefined }

describe('hostile targets', () => {
  /** Lets a target answer with some bytes, and says what a client gets. */
  async function answerOf(
    bytes: string,
    request = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  ): Promise<string> {
    const target = await listenTcp(address, (socket) => {
      socket.once('data', () => socket.end(bytes, 'latin1'))
    })
    const port = await freePort(address)
    const balancer = new Balancer(stateOf(address, {}), quiet)
    try {
      const services = [serviceTo(portOf(target), { listenPort: port })]
      await balancer.apply(stateOf(address, { services, targets: [targetAt(address)] }))
      return await converse(address, port, request)
    } finally {
      balancer.close()
      target.close()
    }
  }

  const garbage: readonly [string, string][] = [
    ['no HTTP', 'hello\r\n\r\n'],
    ['nothing', ''],
    ['half a header', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['a status that is none', 'HTTP/1.1 099 no\r\nContent-Length: 0\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['both lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    ],
    ['an endless header', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ]
  for (const [name, bytes] of garbage) {
    test(`that send ${name} make it a 502`, async () => assert.match(await answerOf(bytes), /^HTTP\/1\.1 502 /))
  }

  test('that send what HTTP/2 has no form for are cut off, and nobody else is', async () => {
    const { certificate: chain, private_key: privateKey } = selfSigned('www.example.com')
    const answers = ['Content-Type: a\r\nContent-Type: b', 'X-Bytes: \xfc', 'Keep-Alive: x\r\nConnection: x\r\nX: y']
    const target = await listenTcp(address, (socket) => {
      socket.once('data', (data) => {
        const at = Number(/\/(\d)/.exec(String(data))?.[1])
        socket.end(
          `HTTP/1.1 200 OK\r\n${answers[at]}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nConnection: x\r\nT: 1\r\n\r\n`,
          'latin1',
        )
      })
    })
    const port = await freePort(address)
    const http = { ...plainHttp, certificates: [{ id: 1, chain, privateKey }] }
    const services = [serviceTo(portOf(target), { listenPort: port, protocol: 'https' as const, http })]
    const balancer = new Balancer(stateOf(address, {}), quiet)
    await balancer.apply(stateOf(address, { services, targets: [targetAt(address)] }))
    const session = connectHttp2(`https://${address}:${port}`, { rejectUnauthorized: false })
    session.on('error', () => session.destroy())
    try {
      const results = []
      for (const at of answers.keys()) {
        const stream = session.request({ ':path': `/${at}` })
        stream.on('error', () => stream.close())
        let status: unknown = 'reset'
        stream.on('response', (head) => {
          status = head[':status']
        })
        stream.resume()
        await new Promise((resolve) => stream.once('close', resolve))
        results.push(status)
      }
      assert.deepEqual(results, ['reset', 200, 200])
    } finally {
      session.destroy()
      balancer.close()
      target.close()
    }
  })

  test('that break off make the answer break off', async () => {
    const answer = await answerOf('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n')
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.ok(answer.includes('hello') && !answer.includes('0\r\n\r\n'), answer)
  })

  test('that answer more than was asked for do not answer the next request', async () => {
    const one = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none'
    const asked = 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const answer = await answerOf(one + one.replace('one', 'bad'), asked)
    assert.ok(!answer.includes('bad'), answer)
  })

  test('that send other answers of 1xx first are waited for', async () => {
    const answer = await answerOf(
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
    )
    assert.match(answer, /^HTTP\/1\.1 204 /)
  })

  test('that answer before they have read the request are heard', async () => {
    const request = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(1_000)}`
    assert.match(await answerOf('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n', request), /^HTTP\/1\.1 413 /)
  })
})

test('an idempotent request on a connection that was just closed is sent once more', async () => {
  let requests = 0
  // Each connection serves one request, and is cut by the next one.
  const target = await listenTcp(address, (socket) => {
    let isUsed = false
    socket.on('data', () => {
      if (isUsed) return void socket.resetAndDestroy()
      isUsed = true
      requests++
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  const port = await freePort(address)
  const balancer = new Balancer(stateOf(address, {}), quiet)
  try {
    const services = [serviceTo(portOf(target), { listenPort: port })]
    await balancer.apply(stateOf(address, { services, targets: [targetAt(address)] }))
    for (let round = 1; round <= 3; round++) {
      const request = httpRequest({ host: address, port, agent: false }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      response.resume()
      assert.equal(response.statusCode, 200)
      assert.equal(requests, round)
    }
  } finally {
    balancer.close()
    target.close()
  }
})
