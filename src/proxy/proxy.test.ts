/** The proxy for programs without a setting for the endpoint, asked by clients that trust its authority alone. */
import assert from 'node:assert/strict'
import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, request as requestHttp } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { issue } from '../protocols/net/x509-issuing.ts'
import { ecdsa } from '../protocols/net/x509-writing.ts'
import { openAuthority } from './authority.ts'
import { openProxy } from './proxy.ts'

const hosts = ['api.hetzner.cloud', 'api.hetzner.com']
const host = hosts[0]!
/** Nothing listens there. */
const nobody = new URL('http://127.0.0.1:1')

interface Opened {
  readonly port: number
  readonly ca: string
  readonly told: string[]
  readonly clock: { nowMs: number }
  stop(): Promise<void>
}

function place(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-proxy-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

async function listen(t: TestContext, answer: RequestListener): Promise<URL> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

async function open(t: TestContext, target: URL): Promise<Opened> {
  const clock = { nowMs: Date.now() }
  const folder = join(place(t), 'proxy')
  const authority = await openAuthority({ folder, hosts, clock: { now: () => clock.nowMs } })
  const told: string[] = []
  const proxy = await openProxy({
    port: 0,
    target,
    hosts,
    identity: authority.identity,
    tell: (line) => void told.push(line),
  })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= proxy.stop()
    return stopping
  }
  t.after(stop)
  return {
    port: Number(new URL(proxy.url).port),
    ca: readFileSync(authority.certificateFile, 'utf8'),
    told,
    clock,
    stop,
  }
}

/** What the proxy says to the head of a request, up to the empty line, and the socket behind it. */
async function ask(t: TestContext, { port }: Opened, head: string): Promise<{ said: string; socket: Socket }> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.write(head)
  let said = ''
  while (!said.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    said += chunk
  }
  return { said, socket }
}

interface Trust {
  readonly protocols?: string[]
  readonly anyone?: boolean
}

/** Opens a TLS connection to a host of the API, as a program does that knows the proxy. */
async function dial(
  t: TestContext,
  opened: Opened,
  { protocols = [], anyone = false }: Trust = {},
): Promise<TLSSocket> {
  const { said, socket } = await ask(t, opened, `CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n\r\n`)
  assert.match(said, /^HTTP\/1\.1 200 /)
  const secured = connectTls({
    socket,
    servername: host,
    ca: opened.ca,
    ALPNProtocols: protocols,
    rejectUnauthorized: !anyone,
  })
  secured.on('error', () => undefined)
  await once(secured, 'secureConnect')
  return secured
}

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

async function bodyOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

type Send = (sent: Sent) => Promise<Received>

async function overHttp1(t: TestContext, opened: Opened): Promise<Send> {
  return async ({ method = 'GET', path = '/', headers = {}, body }) => {
    const socket = await dial(t, opened, { protocols: ['http/1.1'] })
    const request = requestHttp({ method, path, headers: { host, ...headers }, createConnection: () => socket })
    request.end(body)
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return { status: answer.statusCode!, headers: answer.headers, body: await bodyOf(answer) }
  }
}

async function openSession(t: TestContext, opened: Opened): Promise<ClientHttp2Session> {
  const socket = await dial(t, opened, { protocols: ['h2', 'http/1.1'] })
  assert.equal(socket.alpnProtocol, 'h2')
  const session = connectHttp2(`https://${host}`, { createConnection: () => socket })
  session.on('error', () => undefined)
  t.after(() => session.destroy())
  return session
}

async function overHttp2(t: TestContext, opened: Opened): Promise<Send> {
  const session = await openSession(t, opened)
  return async ({ method = 'GET', path = '/', headers = {}, body }) => {
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined })
    if (body) stream.end(body)
    const [answer] = (await once(stream, 'response')) as [Record<string, unknown>]
    return { status: Number(answer[':status']), headers: answer, body: await bodyOf(stream) }
  }
}

/** Says what arrived, in the form of JSON. */
const echo: RequestListener = async (request, response) => {
  const { method, url, headers } = request
  const body = await bodyOf(request)
  response.setHeader('x-kept', 'yes')
  response.setHeader('connection', 'close, x-of-connection')
  response.setHeader('x-of-connection', 'no')
  response.end(JSON.stringify({ method, url, headers, body: body.toString('base64') }))
}

for (const [protocol, over] of [
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
] as const) {
  describe(`Over ${protocol}, the proxy`, () => {
    test('leads a request to the server and its answer back', async (t) => {
      const send = await over(t, await open(t, await listen(t, echo)))
      const { status, headers, body } = await send({
        path: '/v1/servers?name=a%20b',
        headers: { authorization: 'Bearer x' },
      })
      const arrived = JSON.parse(body.toString())
      assert.equal(status, 200)
      assert.equal(arrived.method, 'GET')
      assert.equal(arrived.url, '/v1/servers?name=a%20b')
      assert.match(arrived.headers.host, /^api\.hetzner\.cloud(:443)?$/)
      assert.equal(arrived.headers.authorization, 'Bearer x')
      assert.deepEqual(
        Object.keys(arrived.headers).filter((name) => name.startsWith(':')),
        [],
      )
      assert.equal(headers['x-kept'], 'yes')
      assert.equal(headers['x-of-connection'], undefined)
    })

    test('keeps bodies whole, however they are framed', async (t) => {
      const send = await over(t, await open(t, await listen(t, echo)))
      const body = Buffer.alloc(3_000_000, 'Wolke 0123456789')
      const length = { 'content-length': String(body.length) }
      const chunks: Record<string, string> = protocol === 'HTTP/1.1' ? { 'transfer-encoding': 'chunked' } : {}
      for (const method of ['POST', 'DELETE', 'GET']) {
        // A length that a client calls one of its connection is no longer there, but its body is.
        const named: Record<string, string> = protocol === 'HTTP/1.1' ? { ...length, connection: 'content-length' } : {}
        for (const headers of [length, chunks, named]) {
          const answer = await send({ method, body, headers })
          assert.ok(Buffer.from(JSON.parse(answer.body.toString()).body, 'base64').equals(body), method)
        }
      }
      const none = JSON.parse((await send({ method: 'POST' })).body.toString())
      assert.deepEqual([none.body, none.headers['transfer-encoding']], ['', undefined])
    })

    test('answers HEAD and answers without a body', async (t) => {
      const target = await listen(t, (_, response) => response.writeHead(204, { 'x-kept': 'yes' }).end())
      const send = await over(t, await open(t, target))
      for (const method of ['HEAD', 'DELETE']) {
        const { status, headers, body } = await send({ method })
        assert.deepEqual([status, headers['x-kept'], body.length], [204, 'yes', 0])
      }
    })

    test('says in the form of the API that the server does not answer', async (t) => {
      const send = await over(t, await open(t, nobody))
      const { status, headers, body } = await send({ method: 'POST', body: Buffer.from('{}') })
      assert.equal(status, 502)
      assert.equal(headers['content-type'], 'application/json')
      assert.deepEqual(JSON.parse(body.toString()), {
        error: {
          code: 'unavailable',
          message: 'http://127.0.0.1:1 does not answer wolke proxy: ECONNREFUSED',
          details: null,
        },
      })
    })

    test('passes an answer on that comes before the body has ended', async (t) => {
      const target = await listen(t, (request, response) => {
        response.writeHead(413).end('too large')
        request.resume()
      })
      const send = await over(t, await open(t, target))
      const { status, body } = await send({ method: 'POST', body: Buffer.alloc(1_000_000) })
      assert.deepEqual([status, body.toString()], [413, 'too large'])
    })

    test('breaks off an answer that breaks off', async (t) => {
      const target = await listen(t, (_, response) => {
        response.write('some', () => response.socket!.destroy())
      })
      const send = await over(t, await open(t, target))
      await assert.rejects(send({}))
    })

    test('ends a request that the client gives up', async (t) => {
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const target = await listen(t, (_, response) => {
        response.on('close', end)
        begin()
      })
      const opened = await open(t, target)
      if (protocol === 'HTTP/2') {
        const stream = (await openSession(t, opened)).request({ ':path': '/' })
        stream.on('error', () => undefined)
        await begun
        stream.close()
      } else {
        const socket = await dial(t, opened)
        socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
        await begun
        socket.destroy()
      }
      await ended
    })

    test('stops after the requests under way are answered', async (t) => {
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const { promise: may, resolve: answer } = Promise.withResolvers<void>()
      const target = await listen(t, async (_, response) => {
        begin()
        await may
        response.end('late')
      })
      const opened = await open(t, target)
      const send = await over(t, opened)
      const sent = send({})
      await begun
      const stopped = opened.stop()
      answer()
      assert.equal((await sent).body.toString(), 'late')
      await stopped
      await assert.rejects(once(connect(opened.port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' })
    })
  })
}

describe('The proxy', () => {
  for (const elsewhere of [
    'example.org:443',
    `${host}:22`,
    `${host}.example.org:443`,
    '127.0.0.1:8080',
    `x.${host}:443`,
  ]) {
    test(`leads nobody to ${elsewhere}`, async (t) => {
      const opened = await open(t, nobody)
      const { said } = await ask(t, opened, `CONNECT ${elsewhere} HTTP/1.1\r\nHost: ${elsewhere}\r\n\r\n`)
      assert.match(said, /^HTTP\/1\.1 403 wolke proxy leads only to api\.hetzner\.cloud:443, api\.hetzner\.com:443\r\n/)
      assert.deepEqual(opened.told, [`refused "${elsewhere}"`])
    })
  }

  for (const url of [`http://${host}/v1/servers`, 'http://example.org/', '/v1/servers']) {
    test(`does not answer a request for ${url}`, async (t) => {
      const opened = await open(t, await listen(t, echo))
      const { said } = await ask(t, opened, `GET ${url} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      assert.match(said, /^HTTP\/1\.1 403 /)
      assert.deepEqual(opened.told, [`refused "GET ${url}"`])
    })
  }

  test('knows hosts in any case, and takes what comes together with the request for one', async (t) => {
    const opened = await open(t, await listen(t, echo))
    const { said } = await ask(t, opened, `CONNECT API.Hetzner.Cloud:443 HTTP/1.1\r\nHost: a\r\n\r\n`)
    assert.match(said, /^HTTP\/1\.1 200 /)
    // A client that does not wait for the answer: its first message lies behind the head.
    const socket = connect(opened.port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.cork()
    socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: a\r\n\r\n`)
    socket.write('no TLS at all')
    socket.uncork()
    socket.resume()
    await once(socket, 'close')
    assert.match(opened.told.join(), /^a client ended the handshake: /)
  })

  test('outlives connections that break at any point', async (t) => {
    const opened = await open(t, await listen(t, echo))
    const { socket } = await ask(t, opened, `CONNECT ${host}:443 HTTP/1.1\r\nHost: a\r\n\r\n`)
    socket.resetAndDestroy()
    const raw = connect(opened.port, '127.0.0.1')
    raw.write('CONNECT api')
    await once(raw, 'connect')
    raw.resetAndDestroy()
    const secured = await dial(t, opened)
    secured.write('GET / HTTP/1.1\r\n')
    secured.destroy()
    const send = await overHttp1(t, opened)
    assert.equal((await send({})).status, 200)
  })

  test('shows a new certificate long before the last one ends', async (t) => {
    const opened = await open(t, await listen(t, echo))
    const shown = async () => (await dial(t, opened, { anyone: true })).getPeerCertificate().serialNumber
    const first = await shown()
    opened.clock.nowMs += 11 * 3_600_000
    assert.equal(await shown(), first)
    opened.clock.nowMs += 2 * 3_600_000
    assert.notEqual(await shown(), first)
  })
})

describe('The authority of the proxy', () => {
  const clock = { now: () => Date.now() }

  test('is kept, with a key that only its owner can read', async (t) => {
    const folder = join(place(t), 'below', 'proxy')
    const { certificateFile } = await openAuthority({ folder, hosts, clock })
    const made = readFileSync(certificateFile, 'utf8')
    assert.equal(statSync(join(folder, 'ca.key')).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(join(folder, '..')), ['proxy'])
    await openAuthority({ folder, hosts: hosts.toReversed(), clock })
    assert.equal(readFileSync(certificateFile, 'utf8'), made)
  })

  test('is the same for those who make it at the same time', async (t) => {
    const folder = join(place(t), 'proxy')
    const all = await Promise.all(Array.from({ length: 4 }, () => openAuthority({ folder, hosts, clock })))
    assert.equal(new Set(all.map(({ certificateFile }) => certificateFile)).size, 1)
    assert.deepEqual(readdirSync(join(folder, '..')), ['proxy'])
  })

  test('is refused when it is for other hosts, when others can read its key, and where something else is', async (t) => {
    const folder = join(place(t), 'proxy')
    await openAuthority({ folder, hosts, clock })
    await assert.rejects(openAuthority({ folder, hosts: [host], clock }), /is for other hosts/)
    chmodSync(join(folder, 'ca.key'), 0o640)
    await assert.rejects(openAuthority({ folder, hosts, clock }), /can be read by others; fix that with chmod go= /)
    const other = place(t)
    writeFileSync(join(other, 'mine'), '')
    await assert.rejects(openAuthority({ folder: other, hosts, clock }), /is something else already/)
    await assert.rejects(openAuthority({ folder: join(other, 'mine'), hosts, clock }), /is something else already/)
    assert.ok(existsSync(join(other, 'mine')))
  })

  test('is trusted with the hosts of the API alone', async (t) => {
    const folder = join(place(t), 'proxy')
    const { certificateFile } = await openAuthority({ folder, hosts, clock })
    const certificate = readFileSync(certificateFile, 'utf8')
    const privateKey = createPrivateKey(readFileSync(join(folder, 'ca.key'))).toCryptoKey(ecdsa, false, ['sign'])
    const keys = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
    const validity = { notBefore: new Date(Date.now() - 1000), notAfter: new Date(Date.now() + 86_400_000) }
    const handshake = async (name: string) => {
      const cert = await issue({ certificate, privateKey }, { publicKey: keys.publicKey, domains: [name], validity })
      const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })
      const server = createTlsServer({ cert, key }, (socket) => socket.end()).listen(0, '127.0.0.1')
      t.after(() => server.close())
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const socket = connectTls({ port, host: '127.0.0.1', servername: name, ca: certificate })
      t.after(() => socket.destroy())
      await once(socket, 'secureConnect')
    }
    await handshake(host)
    await assert.rejects(handshake('example.org'), /permitted subtree violation/)
  })
})
