/** Connections and the server below the edge: turns, bounds of time and number, TLS, and what is sent compressed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { isDeepStrictEqual, promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { principalIn } from '../../src/kernel/access/principal.ts'
import { noLimits } from '../../src/kernel/http/admission/admission.ts'
import { buildEdge, type Edge } from '../../src/kernel/http/http.ts'
import type { EdgeOptions } from '../../src/kernel/http/mounting.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import { inOrderOfLeaving } from '../../src/kernel/process/network.ts'
import type { ProjectId } from '../../src/kernel/scope.ts'
import { certificate, privateKey } from '../fixtures/tls.ts'
import { until } from '../kit/database/bare-database.ts'
import { testClock } from '../kit/harness.ts'
import { checkEnvelope, checkHeaders, request, talk } from '../stubs/raw-http.ts'

/** A table of endpoints as small as can be. */
const things = {
  create: {
    method: 'POST',
    needs: 'restricted',
    path: '/things',
    summary: '',
    section: 'Endpoints',
    body: Type.Object({}),
    status: 204,
    errors: [],
  },
} as const

describe('A connection', () => {
  test('is answered one request at a time, and what it does not read holds up its own requests alone', async (t) => {
    const edge = edgeAlone()
    let [underWay, most, answered] = [0, 0, 0]
    const body = 'x'.repeat(100_000)
    edge.server.addHook('onRequest', async () => {
      most = Math.max(most, ++underWay)
    })
    edge.server.addHook('onResponse', async () => {
      underWay--
      answered++
    })
    edge.open({ path: '/page', answer: async () => ({ status: 200, type: 'text/plain', body }) })
    const port = await listen(t, edge)
    const get = 'GET /page HTTP/1.1\r\nHost: a\r\n\r\n'
    const silent = connect(port, '127.0.0.1')
    t.after(() => silent.destroy())
    silent.pause()
    silent.write(get.repeat(900))
    const answers = await talk(connect(port, '127.0.0.1'), [get.repeat(100)], 100)
    assert.equal(answers.length, 100)
    assert.ok(most <= 2, `${most} at a time on two connections`)
    assert.ok(answered < 900, 'who reads nothing is not answered for ever')
    edge.server.server.requestTimeout = 50
  })

  test('lives while an answer is made, however long that takes, and not while nobody reads it', async (t) => {
    const edge = edgeAlone()
    const { server } = edge.server
    let timedOut: Promise<unknown> | undefined
    // The time is short only once the request is there, however late a busy machine reads that.
    edge.server.addHook('onRequest', async ({ raw }) => {
      timedOut = once(server, 'timeout')
      raw.socket.setTimeout(50)
    })
    for (const [path, size] of [
      ['/slow', 1],
      ['/large', 32 * 1024 * 1024],
    ] as const) {
      const answer = async () => {
        await timedOut
        return { status: 200, type: 'text/plain', body: 'x'.repeat(size) }
      }
      edge.open({ path, answer })
    }
    const port = await listen(t, edge)
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    assert.equal((await talk(connect(port, '127.0.0.1'), [get('/slow')], 1))[0]?.text, 'x')
    const connected = once(server, 'connection')
    const silent = connect(port, '127.0.0.1')
    t.after(() => silent.destroy())
    silent.pause()
    silent.write(get('/large'))
    const [socket] = (await connected) as [Socket]
    await once(socket, 'close')
  })

  test('ends with the answer to its last request, and what it sends beyond is not carried out', async (t) => {
    const edge = edgeAlone({ connections: { requests: 30 } })
    let asked = 0
    const answer = async () => {
      asked++
      return { status: 200, type: 'text/plain', body: 'x' }
    }
    edge.open({ path: '/page', answer })
    const port = await listen(t, edge)
    for (const count of [31, 1_000]) {
      asked = 0
      const answers = await talk(connect(port, '127.0.0.1'), ['GET /page HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count)])
      assert.deepEqual([answers.length, asked], [30, 30])
      assert.deepEqual([...new Set(answers.map(({ headers }) => headers.connection))], ['keep-alive', 'close'])
    }
  })

  test('is refused in words when its address has as many as it may, all of them served', async (t) => {
    const { port, asked, answer } = await waitingEdge(t, 2)
    const first = [1, 2].map(() => talk(dial(port), [request('GET /slow', undefined)], 1))
    while (asked() < 2) await setImmediate()
    const late = [1, 2].map(() => talk(dial(port), [request('GET /slow', undefined)]))
    for (const [refused] of await Promise.all(late)) {
      checkEnvelope(refused, 429, 'rate_limit_exceeded')
      assert.match(refused!.text, /cannot have more than 2 open connections/)
    }
    assert.equal(asked(), 2, 'nothing of whom is refused is carried out')
    answer()
    for (const [answered] of await Promise.all(first)) assert.equal(answered?.text, 'x')
    let again = (await talk(dial(port), [request('GET /slow', undefined)]))[0]
    while (again?.status === 429) again = (await talk(dial(port), [request('GET /slow', undefined)]))[0]
    assert.equal(again?.text, 'x')
  })

  test('makes room for a newcomer when its request is unfinished, or it is idle, and not when it is served', async (t) => {
    const { port, asked, answer } = await waitingEdge(t, 3)
    const served = talk(dial(port), [request('GET /slow', undefined)])
    while (asked() < 1) await setImmediate()
    const idle = dial(port)
    idle.write('GET /page HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(idle, 'data')
    const isGone = once(idle, 'close')
    const slow = talk(dial(port), ['GET /page HTTP/1.1\r\nHost: a\r\nX-Slow: '])
    const ask = () => talk(dial(port), [request('GET /slow', undefined)])
    const [first, second] = [ask(), ask()]
    const [told] = await slow
    checkEnvelope(told, 429, 'rate_limit_exceeded')
    await isGone
    assert.equal(idle.bytesRead > 0 && idle.readableLength, 0, 'an idle one hears nothing that it did not ask for')
    while (asked() < 3) await setImmediate()
    answer()
    for (const [answered] of await Promise.all([served, first, second])) assert.equal(answered?.text, 'x')
  })

  test('makes room before its TLS handshake, too', async (t) => {
    const edge = edgeAlone({ tls: { cert: certificate, key: privateKey }, connections: { perAddress: 1 } })
    edge.open({ path: '/page', answer: async () => ({ status: 200, type: 'text/plain', body: 'x' }) })
    const port = await listen(t, edge)
    const silent = talk(dial(port), [])
    const socket = connectTls({ port, host: '127.0.0.1', ca: certificate, servername: 'localhost' })
    assert.equal((await talk(socket, [request('GET /page', undefined)]))[0]?.text, 'x')
    assert.deepEqual(await silent, [])
  })

  test('goes first when its request is unfinished for longest, then the longest idle, then who has just begun or ended', () => {
    const doing = (name: string, is: 'asking' | 'idle', since: number) => ({ name, doing: { is, since } as const })
    const all = [
      { name: 'served', doing: { is: 'served' } as const },
      doing('just came', 'asking', 9_990),
      doing('idle for long', 'idle', 1_000),
      doing('slow', 'asking', 8_000),
      doing('came before', 'asking', 9_001),
      doing('idle', 'idle', 9_999),
      doing('slowest', 'asking', 5_000),
      doing('slow enough', 'asking', 9_000),
    ]
    const order = ['slowest', 'slow', 'slow enough', 'idle for long', 'came before', 'just came', 'idle']
    assert.deepEqual(
      inOrderOfLeaving(all, 10_000).map(({ name }) => name),
      order,
    )
  })

  test('hears that its body is too long, whatever of it was sent: 4 MB at once', async (t) => {
    const edge = edgeAlone({ authenticator: { cached: () => principal } as never })
    edge.mount({ create: things.create }, { create: async () => undefined })
    const port = await listen(t, edge)
    const head = 'POST /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nContent-Type: application/json\r\n'
    const body = Buffer.alloc(4 * 1024 * 1024, 0x20)
    const size = body.length.toString(16)
    for (const pieces of [
      [`${head}Content-Length: ${body.length}\r\n\r\n`, body],
      [`${head}Transfer-Encoding: chunked\r\n\r\n${size}\r\n`, body, '\r\n0\r\n\r\n'],
    ]) {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      for (const piece of pieces) socket.write(piece)
      // All of it is taken, so that even who sends first and reads then gets the answer.
      await new Promise<void>((resolve, reject) => socket.end(resolve).once('error', reject))
      const [answer] = await talk(socket, [])
      checkEnvelope(answer, 413, 'invalid_input')
    }
  })
})

const dial = (port: number) => connect(port, '127.0.0.1')

/** A server with a page that is answered once `answer` is called, and then at once. */
async function waitingEdge(t: TestContext, perAddress: number) {
  const edge = edgeAlone({ connections: { perAddress } })
  const ready = Promise.withResolvers<void>()
  let asked = 0
  const page = { status: 200, type: 'text/plain', body: 'x' }
  edge.open({ path: '/page', answer: async () => page })
  edge.open({ path: '/slow', answer: () => ready.promise.then(() => page) })
  edge.server.addHook('onRequest', async ({ url }) => {
    if (url === '/slow') asked++
  })
  return { port: await listen(t, edge), asked: () => asked, answer: ready.resolve }
}

// ---- Time and size limits of the server itself ---------------------------------------------------------------------

function edgeAlone(options: Partial<EdgeOptions> = {}) {
  return buildEdge({
    authenticator: { cached: () => undefined, find: async () => undefined } as never,
    limits: noLimits,
    clock: testClock(),
    log: openLog('silent'),
    vendor: 'wolke',
    ...options,
  })
}

const principal = principalIn(
  {
    actor: { kind: 'token', id: 1, name: 'token' },
    roles: new Map([[1 as ProjectId, 'member']]),
    isOperator: false,
    elevatedUntil: 0,
    bucket: 'project:1',
  },
  1 as ProjectId,
)

async function listen(t: TestContext, { server }: Edge): Promise<number> {
  await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.close())
  return (server.server.address() as { port: number }).port
}

describe('The server', () => {
  for (const tls of [undefined, { cert: certificate, key: privateKey }]) {
    test(`bounds the time of headers and bodies ${tls ? 'under TLS too' : ''}`, async () => {
      const { server } = edgeAlone(tls ? { tls } : {}).server
      assert.deepEqual(
        [server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.maxRequestsPerSocket ?? 0],
        [5_000, 10_000, 75_000, 0],
      )
    })
  }

  test('ends slow headers and slow bodies with an envelope', async (t) => {
    const edge = edgeAlone({ authenticator: { cached: () => principal } as never })
    edge.mount({ create: things.create }, { create: async () => undefined })
    edge.server.server.headersTimeout = 50
    edge.server.server.requestTimeout = 100
    const port = await listen(t, edge)
    const head = 'POST /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n'
    const slow = [`${head}X-Slow: `, `${head}Content-Length: 9\r\n\r\n{`, '']
    for (const [answer, ...more] of await Promise.all(slow.map((text) => talk(connect(port, '127.0.0.1'), [text])))) {
      checkEnvelope(answer, 408, 'timeout')
      assert.equal(more.length, 0)
    }
  })

  test('counts no time in which this process does not run, and reads first what has arrived meanwhile', async (t) => {
    const edge = edgeAlone({ authenticator: { cached: () => principal } as never })
    edge.mount({ create: things.create }, { create: async () => undefined })
    Object.assign(edge.server.server, { headersTimeout: 3_000, requestTimeout: 3_000 })
    const answer = async () => {
      sockets[0]!.write('application/json\r\nContent-Length: 2\r\n\r\n{}')
      sockets[1]!.write('}')
      // What comes while input is handled is read after the timers.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_500)
      return { status: 200, type: 'text/plain', body: 'x' }
    }
    edge.open({ path: '/busy', answer })
    const port = await listen(t, edge)
    const taken: Socket[] = []
    edge.server.server.on('connection', (socket) => taken.push(socket))
    const head = 'POST /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nConnection: close\r\n'
    const body = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{'
    const halves = [`${head}Content-Type: `, head + body, `${head}X-Never: `]
    const sockets = halves.map(() => connect(port, '127.0.0.1'))
    const answers = sockets.map((socket, index) => talk(socket, [halves[index]!]))
    const read = () => taken.map((socket) => socket.bytesRead).sort((a, b) => a - b)
    const sent = halves.map((half) => half.length).sort((a, b) => a - b)
    await until(() => isDeepStrictEqual(read(), sent), 'the halves are read')
    await talk(connect(port, '127.0.0.1'), [request('GET /busy', undefined)])
    const statuses = (await Promise.all(answers)).map(([answer]) => answer?.status)
    assert.deepEqual(statuses, [204, 204, 408])
  })

  test('stops without waiting for who sends nothing or half a request, and answers the others', async (t) => {
    const edge = edgeAlone({ authenticator: { cached: () => principal } as never })
    edge.mount({ create: things.create }, { create: async () => undefined })
    const asked = Promise.withResolvers<void>()
    const ready = Promise.withResolvers<void>()
    const answer = async () => {
      asked.resolve()
      await ready.promise
      return { status: 200, type: 'text/plain', body: 'x' }
    }
    edge.open({ path: '/slow', answer })
    const port = await listen(t, edge)
    const { server } = edge.server
    server.requestTimeout = 50
    server.setTimeout(0)
    const head = 'POST /v1/things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n'
    const halves = ['', `${head}X-Half: `, `${head}Content-Length: 9\r\n\r\n{`]
    const others = halves.map((text) => talk(connect(port, '127.0.0.1'), text ? [text] : []))
    const owed = talk(connect(port, '127.0.0.1'), [request('GET /slow', undefined)])
    await asked.promise
    const connections = promisify(server.getConnections.bind(server))
    while ((await connections()) < 4) await setImmediate()
    const stopped = edge.server.close()
    assert.deepEqual(await Promise.all(others), [[], [], []])
    ready.resolve()
    const [{ status, headers, text } = assert.fail('there is an answer'), ...more] = await owed
    assert.deepEqual([status, headers.connection, text, more.length], [200, 'close', 'x', 0])
    await stopped
  })

  test('ends what never says hello under TLS, or half of it, as it ends silence without', async (t) => {
    const edge = edgeAlone({ tls: { cert: certificate, key: privateKey }, handshakeMs: 50 })
    const port = await listen(t, edge)
    for (const hello of [Buffer.alloc(0), Buffer.from('16030100a5010000a10303', 'hex')]) {
      assert.deepEqual(await talk(connect(port, '127.0.0.1'), [hello]), [])
    }
  })

  test('speaks the same envelope under TLS', async (t) => {
    const edge = edgeAlone({ tls: { cert: certificate, key: privateKey } })
    edge.open({ path: '/health', answer: async () => ({ status: 200, type: 'application/json', body: '{}' }) })
    const port = await listen(t, edge)
    const ask = (text: string) =>
      talk(connectTls({ port, host: '127.0.0.1', ca: certificate, servername: 'localhost' }), [text])
    assert.equal((await ask(request('GET /health', undefined)))[0]!.status, 200)
    checkEnvelope((await ask(request('GET /v1/nothing', undefined)))[0], 401, 'unauthorized')
    checkEnvelope((await ask('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'))[0], 400, 'invalid_input')
    checkEnvelope((await ask('GARBAGE\r\n\r\n'))[0], 400, 'invalid_input')
    checkEnvelope((await ask(request('GET /health', undefined, ['Expect: weird'])))[0], 417, 'invalid_input')
  })
})

// ---- Compression ---------------------------------------------------------------------------------------------------

describe('Compression', () => {
  test('packs pages of 1 KiB and more, once in each encoding for all who ask', async (t) => {
    const edge = edgeAlone()
    const body = JSON.stringify({ text: 'ä'.repeat(600) })
    let made = 0
    const answer = async () => {
      made++
      return { status: 200, type: 'application/json', body }
    }
    edge.open({ path: '/page', answer })
    const port = await listen(t, edge)
    const ask = async (...headers: string[]) =>
      (await talk(connect(port, '127.0.0.1'), [request('GET /page', undefined, headers)]))[0]!
    const packed = await Promise.all(Array.from({ length: 8 }, () => ask('Accept-Encoding: gzip')))
    for (const { headers, text } of packed) {
      assert.deepEqual([headers['content-encoding'], headers.vary], ['gzip', 'accept-encoding'])
      assert.equal(gunzipSync(Buffer.from(text, 'latin1')).toString(), body)
    }
    assert.ok(made <= 8)
    const plain = await ask()
    assert.equal(Buffer.from(plain.text, 'latin1').toString(), body)
    assert.match(plain.headers.etag!, /^w\/"[\w-]{22}"$/)
  })

  test('a page that the caller has already is not sent again', async (t) => {
    const edge = edgeAlone()
    let body = 'one'
    edge.open({ path: '/page', answer: async () => ({ status: 200, type: 'text/plain', body }) })
    const port = await listen(t, edge)
    const ask = (etag: string) => fetch(`http://127.0.0.1:${port}/page`, { headers: { 'if-none-match': etag } })
    const first = await ask('"other"')
    const etag = first.headers.get('etag')!
    assert.deepEqual([first.status, await first.text()], [200, 'one'])
    for (const text of [etag, `"x", ${etag}`, '*', etag.slice(2)]) {
      const again = await ask(text)
      assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag])
      checkHeaders(Object.fromEntries(again.headers))
    }
    body = 'two'
    assert.equal((await ask(etag)).status, 200)
  })
})
