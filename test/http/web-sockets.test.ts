/** WebSockets at the edge: who gets one, how others are answered, and how they end. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { ApiError } from '../../src/kernel/errors.ts'
import { noLimits } from '../../src/kernel/http/admission/admission.ts'
import { localLimiter } from '../../src/kernel/http/admission/rate-limit.ts'
import { buildEdge, type Edge } from '../../src/kernel/http/http.ts'
import type { EdgeOptions } from '../../src/kernel/http/mounting.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import { certificate, privateKey } from '../fixtures/tls.ts'
import { testClock } from '../kit/harness.ts'
import { checkEnvelope, talk } from '../stubs/raw-http.ts'

/** An edge that echoes what it is sent, and refuses who says so. */
function echoing(options: Partial<EdgeOptions> = {}): Edge {
  const edge = buildEdge({
    authenticator: { cached: () => undefined, find: async () => undefined } as never,
    limits: noLimits,
    clock: testClock(),
    log: openLog('silent'),
    vendor: 'wolke',
    ...options,
  })
  edge.accept({
    path: '/echo',
    async admit(query) {
      if (query.get('as') === 'nobody') throw new ApiError('unauthorized', 'nobody is let in')
      if (query.get('as') === 'bug') throw new Error('oops')
      return (stream: Duplex) => void stream.pipe(stream)
    },
  })
  edge.open({ path: '/page', answer: async () => ({ status: 200, type: 'text/plain', body: 'page' }) })
  return edge
}

async function listen(t: TestContext, { server }: Edge): Promise<number> {
  await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.close())
  return (server.server.address() as { port: number }).port
}

const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'
const upgrade = (line: string, headers = key, protocol = 'websocket') =>
  `${line} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${headers}\r\n`

async function echoed(socket: WebSocket, text: string): Promise<string> {
  socket.send(text)
  return String((await once(socket, 'message'))[0])
}

describe('A WebSocket', () => {
  test('carries bytes both ways, with and without TLS, and knows the older name of binary data', async (t) => {
    const plain = new WebSocket(`ws://127.0.0.1:${await listen(t, echoing())}/echo`, ['base64', 'binary'])
    const port = await listen(t, echoing({ tls: { cert: certificate, key: privateKey } }))
    const secure = new WebSocket(`wss://localhost:${port}/echo`, { ca: certificate })
    for (const socket of [plain, secure]) {
      await once(socket, 'open')
      assert.equal(await echoed(socket, 'hello'), 'hello')
    }
    assert.equal(plain.protocol, 'binary')
  })

  test('is opened after other requests on its connection, and not behind one that is not answered', async (t) => {
    const edge = echoing()
    const answered = Promise.withResolvers<{ status: number; type: string; body: string }>()
    edge.open({ path: '/slow', answer: () => answered.promise })
    const port = await listen(t, edge)
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /page HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    socket.write(upgrade('GET /echo'))
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 101 /)
    socket.destroy()
    const impatient = connect(port, '127.0.0.1')
    const isOver = once(impatient, 'close')
    impatient.on('error', () => undefined)
    impatient.write(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${upgrade('GET /echo')}`)
    await isOver
    answered.resolve({ status: 200, type: 'text/plain', body: '' })
  })

  test('is opened on connections of a network whose bytes are read in pieces', async (t) => {
    const port = await listen(t, echoing())
    await talk(connect(port, '127.0.0.1'), ['GET /page HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(40)], 40)
    const masked = Buffer.from([0x82, 0x81, 0, 0, 0, 0, 0x41])
    const socket = connect(port, '127.0.0.1')
    socket.write(Buffer.concat([Buffer.from(upgrade('GET /echo')), masked]))
    let received = ''
    for await (const bytes of socket) {
      received += String(bytes)
      if (received.endsWith('\x82\x01A') || received.endsWith('\ufffd\x01A')) break
    }
    assert.match(received, /^HTTP\/1\.1 101 /)
    assert.ok(received.endsWith('\x01A'), 'what came with the request is echoed')
  })

  test('is refused with the envelope of every other refusal', async (t) => {
    const port = await listen(t, echoing())
    const ask = async (text: string) => (await talk(connect(port, '127.0.0.1'), [text], 1))[0]
    checkEnvelope(await ask(upgrade('GET /echo?as=nobody')), 401, 'unauthorized')
    checkEnvelope(await ask(upgrade('GET /echo?as=bug')), 500, 'server_error')
    checkEnvelope(await ask(upgrade('GET /echo', '')), 400, 'invalid_input')
    checkEnvelope(await ask(upgrade('GET /echo', key.replace('13', '7'))), 400, 'invalid_input')
    checkEnvelope(await ask(upgrade('GET /echo').replace('Host: a', 'Host: a b')), 400, 'invalid_input')
    const few = await listen(t, echoing({ limits: { ...noLimits, networks: localLimiter(1) } }))
    const answers = [1, 2].map(() => talk(connect(few, '127.0.0.1'), [upgrade('GET /echo?as=nobody')], 1))
    assert.deepEqual((await Promise.all(answers)).map(([answer]) => answer?.status).sort(), [401, 429])
  })

  test('is charged to the caller for whom a trusted proxy asks, and to the peer that claims somebody else', async (t) => {
    const limits = { ...noLimits, networks: localLimiter(1) }
    const ask = async (port: number, from: string) => {
      const text = upgrade('GET /echo?as=nobody', `X-Forwarded-For: ${from}\r\n${key}`)
      return (await talk(connect(port, '127.0.0.1'), [text], 1))[0]?.status
    }
    const behind = await listen(t, echoing({ limits, trustedProxies: ['127.0.0.1'] }))
    assert.deepEqual([await ask(behind, '192.0.2.1'), await ask(behind, '192.0.2.2')], [401, 401])
    // What a caller claims comes before what the proxy adds.
    assert.equal(await ask(behind, '203.0.113.9, 192.0.2.1'), 429)
    const bare = await listen(t, echoing({ limits: { ...noLimits, networks: localLimiter(1) } }))
    assert.deepEqual([await ask(bare, '192.0.2.1'), await ask(bare, '192.0.2.2')], [401, 429])
  })

  test('is for those alone who ask for it where there is one; others are answered as if they had not asked', async (t) => {
    const port = await listen(t, echoing())
    const ask = async (text: string) => (await talk(connect(port, '127.0.0.1'), [text], 1))[0]
    assert.equal((await ask(upgrade('GET /page')))?.status, 200)
    assert.equal((await ask(upgrade('GET /page', '', 'h2c')))?.status, 200)
    for (const text of [upgrade('GET /other'), upgrade('POST /echo'), upgrade('GET /echo', key, 'h2c')]) {
      checkEnvelope(await ask(text), 401, 'unauthorized')
    }
  })

  test('ends with a message that is too large, and when the server stops', async (t) => {
    const edge = echoing()
    const port = await listen(t, edge)
    const [greedy, patient] = [1, 2].map(() => new WebSocket(`ws://127.0.0.1:${port}/echo`))
    await Promise.all([greedy, patient].map((socket) => once(socket!, 'open')))
    greedy!.send(Buffer.alloc(65_537))
    assert.equal((await once(greedy!, 'close'))[0], 1009)
    assert.equal(await echoed(patient!, 'here'), 'here')
    const end = once(patient!, 'close')
    await edge.server.close()
    assert.equal((await end)[0], 1012)
  })
})
