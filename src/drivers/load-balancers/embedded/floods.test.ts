/** Clients of HTTP/2 that send frames without end: they are told to calm down, and their connection is closed. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { after, before, describe, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { freePort } from '../../../../test/kit/ports.ts'
import { plainHttp, targetAt } from '../../../../test/kit/samples/balancer-states.ts'
import { selfSigned } from '../../../../test/kit/samples/certificates.ts'
import { listenHttp, ownAddress, portOf, serviceTo, stateOf } from '../../../../test/stubs/embedded-balancer.ts'
import { Balancer } from './balancer.ts'

const address = ownAddress()

/** Types of frames, and the flags that end a stream and its headers (RFC 9113, 6). */
const [data, headers, priority, reset, settings, ping, goAway, windowUpdate, continuation] = [
  0, 1, 2, 3, 4, 6, 7, 8, 9,
] as const
const [endStream, endHeaders] = [1, 4]
const enhanceYourCalm = 11
/** The code of the last frame of the connection where it is another one. */
const codes: Readonly<Record<string, number>> = {
  'frames that make the server reset its requests': 1,
  'headers that never end': 2,
  'data without data': 2,
}

function frame(type: number, flags: number, stream: number, payload: readonly number[] = []): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, Buffer.from(payload)])
}

/** `GET https://a/` (RFC 7541, appendix A). */
const get = [0x82, 0x87, 0x84, 0x41, 1, 0x61]
const cancel = [0, 0, 0, 8]

/** `POST https://a/` */
const post = [0x83, ...get.slice(1)]
/** Frames that cost so little that only many of them are a flood. */
const updates = (stream: number) => Buffer.concat(Array(1_000).fill(frame(windowUpdate, 0, stream, [0, 0, 0, 1])))

/** What the client sends for each number, which is counted from 0. */
const floods: Readonly<Record<string, (number: number) => Buffer[]>> = {
  'requests that it resets at once': (number) => {
    const stream = 2 * number + 1
    return [frame(headers, endStream | endHeaders, stream, get), frame(reset, 0, stream, cancel)]
  },
  'frames that make the server reset its requests': (number) => {
    const stream = 2 * number + 1
    return [frame(headers, endStream | endHeaders, stream, get), frame(windowUpdate, 0, stream, [0, 0, 0, 0])]
  },
  pings: () => [frame(ping, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8])],
  settings: () => [frame(settings, 0, 0, [0, 3, 0, 0, 0, 100])],
  priorities: (number) => [frame(priority, 0, 2 * number + 1, [0, 0, 0, 0, 1])],
  'headers that never end': (number) =>
    number === 0 ? [frame(headers, endStream, 1, get)] : [frame(continuation, 0, 1, [0, 1, 0x62, 1, 0x63])],
  'data without data': (number) => [number === 0 ? frame(headers, endHeaders, 1, post) : frame(data, 0, 1)],
  'window updates of the connection': () => [updates(0)],
  'window updates of a request': (number) => [number === 0 ? frame(headers, endHeaders, 1, post) : updates(1)],
}

/** Longer than what a client may send that nothing explains. */
const large = Buffer.alloc(24 * 1_024 * 1_024)

describe('floods of HTTP/2', () => {
  let balancer: Balancer
  let port: number
  let target: Awaited<ReturnType<typeof listenHttp>>

  before(async () => {
    target = await listenHttp(
      address,
      (request, response) =>
        void request.resume().once('end', () => response.end(request.method === 'POST' ? large : 'fine')),
    )
    port = await freePort(address)
    const { certificate: chain, private_key: privateKey } = selfSigned('www.example.com')
    const http = { ...plainHttp, certificates: [{ id: 1, chain, privateKey }] }
    const state = {
      services: [serviceTo(portOf(target), { listenPort: port, protocol: 'https', http })],
      targets: [targetAt(address)],
    }
    balancer = new Balancer(stateOf(address, {}), { portOffset: 0, report: () => undefined })
    await balancer.apply(stateOf(address, state))
  })
  after(() => {
    balancer.close()
    target.close()
    target.closeAllConnections()
  })

  for (const [name, sent] of Object.entries(floods)) {
    test(`${name} end the connection, and no other`, async () => {
      const other = connectHttp2(`https://${address}:${port}`, { rejectUnauthorized: false })
      const { isClosed, code } = await flood(await open(address, port), sent)
      assert.ok(isClosed, 'the connection stays open')
      // Some are told that they break the protocol.
      // What comes before the end is lost where it meets unread bytes.
      if (code !== undefined) assert.equal(code, codes[name] ?? enhanceYourCalm)
      assert.equal(await ask(other), 200)
      other.destroy()
    })
  }

  test('clients that read their answers, and take back some requests, stay', async () => {
    const session = connectHttp2(`https://${address}:${port}`, { rejectUnauthorized: false })
    let pings = 0
    for (let batch = 0; batch < 30; batch++) {
      const takenBack = Array.from({ length: 20 }, () => session.request({ ':path': '/' }))
      for (const stream of takenBack) {
        stream.on('error', () => undefined)
        stream.close(8)
      }
      session.ping(() => void pings++)
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(session)))
      assert.deepEqual(new Set(answers), new Set([200]))
    }
    assert.equal(session.destroyed, false)
    assert.ok(pings > 0)
    session.destroy()
  })

  test('clients whose updates are explained by what they are sent stay', async () => {
    const socket = await open(address, port)
    socket.on('error', () => socket.destroy())
    assert.equal(await takeLarge(socket), large.length)
    // One that begins later is judged later.
    const { isClosed } = await flood(await open(address, port), floods['window updates of the connection']!)
    assert.ok(isClosed)
    assert.equal(socket.closed, false)
    socket.destroy()
  })
})

/**
 * Asks for the large answer, and sends a quarter of it in updates on the way: many for each frame, as clients of many small
 * ones do. Returns how much has come.
 */
async function takeLarge(socket: TLSSocket): Promise<number> {
  let taken = 0
  const window = Buffer.alloc(4)
  const many = updates(0)
  readFrames(socket, ({ type, payload }) => {
    if (type !== data || payload.length === 0) return
    taken += payload.length
    window.writeUInt32BE(payload.length)
    for (const stream of [0, 1]) socket.write(frame(windowUpdate, 0, stream, [...window]))
    const ofFrame = Math.floor(payload.length / 4 / 13)
    socket.write(many.subarray(0, 13 * ofFrame))
    if (taken === large.length) socket.emit('taken')
  })
  socket.write(frame(headers, endStream | endHeaders, 1, post))
  await Promise.race([once(socket, 'taken'), once(socket, 'close')])
  return taken
}

const mostFrames = 40_000

async function open(host: string, port: number): Promise<TLSSocket> {
  const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
  socket.setNoDelay()
  await once(socket, 'secureConnect')
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  socket.write(frame(settings, 0, 0))
  return socket
}

/** Sends until the connection is closed, or for a long time; the code is that of the GOAWAY that came. */
async function flood(socket: TLSSocket, sent: (number: number) => Buffer[]) {
  let code: number | undefined
  socket.on('error', () => socket.destroy())
  readFrames(socket, ({ type, payload }) => {
    if (type === goAway) code = payload.readUInt32BE(4)
  })
  let number = 0
  const closed = once(socket, 'close')
  closed.catch(() => undefined)
  while (!socket.destroyed && number < mostFrames) {
    const some = Array.from({ length: 100 }, () => sent(number++)).flat()
    if (!socket.write(Buffer.concat(some))) await Promise.race([once(socket, 'drain'), closed]).catch(() => undefined)
    await new Promise(setImmediate)
  }
  socket.destroy()
  const isClosed = number < mostFrames
  return { isClosed, code }
}

function readFrames(socket: TLSSocket, take: (frame: { type: number; payload: Buffer }) => void): void {
  let unread = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    unread = Buffer.concat([unread, bytes])
    for (;;) {
      const end = unread.length < 9 ? Infinity : 9 + unread.readUIntBE(0, 3)
      if (unread.length < end) return
      take({ type: unread[3]!, payload: unread.subarray(9, end) })
      unread = unread.subarray(end)
    }
  })
}

async function ask(session: ReturnType<typeof connectHttp2>): Promise<number> {
  const stream = session.request({ ':path': '/' })
  const [head] = await once(stream, 'response')
  stream.resume()
  await once(stream, 'close')
  return head[':status']
}
