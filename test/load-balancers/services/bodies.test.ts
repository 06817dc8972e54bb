/** Bodies of HTTP: of every size and framing, held back by who reads them, and when clients leave in the middle of one. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { until } from '../../kit/database/bare-database.ts'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, httpCheck, httpService } from '../kit/balancers.ts'
import { ask, dial, read } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import { httpTarget } from '../kit/targets.ts'

const services = [httpService(80, {}, { healthCheck: httpCheck({}, { path: '/health' }) })]
const large = 100_000_000
const part = Buffer.alloc(100_000, 'Wolke ')

function* parts() {
  for (let sent = 0; sent < large; sent += part.length) yield part
}

/** The parts, and how many bytes of them were taken. */
interface Counted extends AsyncIterable<Buffer> {
  readonly taken: number
}

function counted(): Counted {
  let taken = 0
  return {
    get taken() {
      return taken
    },
    async *[Symbol.asyncIterator]() {
      for (const one of parts()) {
        taken += one.length
        yield one
      }
    },
  }
}

async function digest(stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const one of stream) hash.update(one)
  return hash.digest('hex')
}

onEachPlane('Bodies', import.meta.filename, (plane) => {
  test('of 100 MB pass in both directions, and are not taken before somebody reads them', async (t) => {
    const reads = Promise.withResolvers<void>()
    const down = counted()
    const { address, checks } = await httpTarget(t, plane, async (incoming, response) => {
      if (incoming.method === 'PUT') {
        await reads.promise
        response.end(await digest(incoming))
      } else if (incoming.url === '/large') await pipeline(down, response)
      else response.end()
    })
    const balancer = await Balancer.ready(t, plane, { services, targets: [targetAt(address)] })
    const { host, port } = balancer.at(80)
    const expected = await digest(Readable.from(parts()))
    /** By the next checks, a sender is far ahead of who reads nothing, or somebody holds it back. */
    const isHeldBack = async (sender: Counted) => {
      const { length } = checks
      await until(() => checks.length >= length + 2)
      // What lies between them is in buffers of the system and of the balancer.
      assert.ok(sender.taken < large / 2, `${sender.taken} bytes were taken`)
    }
    const up = counted()
    const upload = request({ host, port, method: 'PUT', path: '/', agent: false })
    const sent = Promise.all([once(upload, 'response'), pipeline(up, upload)])
    await isHeldBack(up)
    reads.resolve()
    const [[answer]] = await sent
    assert.equal((await (answer as IncomingMessage).toArray()).join(''), expected)
    const download = request({ host, port, path: '/large', agent: false }).end()
    const [response] = (await once(download, 'response')) as [IncomingMessage]
    await isHeldBack(down)
    assert.equal(await digest(response), expected)
  })

  test('are missing where there is none', async (t) => {
    const { address } = await httpTarget(t, plane, ({ method, url }, response) => {
      if (url === '/204') response.writeHead(204).end()
      else if (url === '/304') response.writeHead(304, { etag: '"a"' }).end()
      else if (method === 'HEAD') response.writeHead(200, { 'content-length': '12345' }).end()
      else response.end()
    })
    const balancer = await Balancer.ready(t, plane, { services, targets: [targetAt(address)] })
    for (const [method, path, status] of [
      ['GET', '/204', 204],
      ['GET', '/304', 304],
      ['HEAD', '/', 200],
      ['GET', '/', 200],
      ['DELETE', '/204', 204],
    ] as const) {
      // Two on one connection: a body that is one would be taken for the second answer.
      const socket = await dial(t, balancer.at(80))
      const answers = read(socket)
      const line = `${method} ${path} HTTP/1.1\r\nHost: a\r\n`
      socket.write(`${line}\r\n${line}Connection: close\r\n\r\n`)
      const text = (await answers).toString()
      const found = [...text.matchAll(/HTTP\/1\.1 (\d+) .*\r\n(?:.+\r\n)*\r\n(?=HTTP|$)/g)].map(([, one]) =>
        Number(one),
      )
      assert.deepEqual(found, [status, status], `${method} ${path}: ${text}`)
      if (method === 'HEAD') assert.match(text, /content-length: 12345/i)
    }
  })

  test('in chunks pass with their trailers', async (t) => {
    const { address } = await httpTarget(t, plane, async (incoming, response) => {
      if (incoming.method === 'GET') return void response.end()
      const text = (await incoming.toArray()).join('')
      response.writeHead(200, { trailer: 'x-end' }).write(text)
      response.addTrailers({ 'x-end': incoming.trailers['x-sum'] ?? 'none' })
      response.end()
    })
    const balancer = await Balancer.ready(t, plane, { services, targets: [targetAt(address)] })
    const { host, port } = balancer.at(80)
    const sent = request({ host, port, method: 'POST', agent: false, headers: { trailer: 'x-sum' } })
    sent.write('one, ')
    sent.write('two')
    sent.addTrailers({ 'x-sum': '8' })
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    assert.equal((await answer.toArray()).join(''), 'one, two')
    assert.equal(answer.trailers['x-end'], '8')
  })

  test('arrive part by part, before they are complete', async (t) => {
    const { address } = await httpTarget(t, plane, (incoming, response) => {
      if (incoming.method === 'POST') incoming.pipe(response)
      else response.end()
    })
    const balancer = await Balancer.ready(t, plane, { services, targets: [targetAt(address)] })
    const { host, port } = balancer.at(80)
    const sent = request({ host, port, method: 'POST', agent: false })
    sent.write('first')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const [first] = await once(answer, 'data')
    assert.equal(String(first), 'first')
    sent.end('second')
    const [second] = await once(answer, 'data')
    assert.equal(String(second), 'second')
  })

  test('wait for 100 Continue where clients ask for it', async (t) => {
    const { address } = await httpTarget(t, plane, async (incoming, response) => {
      response.end((await incoming.toArray()).join(''))
    })
    const balancer = await Balancer.ready(t, plane, { services, targets: [targetAt(address)] })
    const { host, port } = balancer.at(80)
    const headers = { expect: '100-continue', 'content-length': '4' }
    const sent = request({ host, port, method: 'POST', agent: false, headers })
    sent.flushHeaders()
    await once(sent, 'continue')
    sent.end('body')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    assert.equal((await answer.toArray()).join(''), 'body')
  })

  test('that clients give up end at the target too, and disturb nobody', async (t) => {
    let open = 0
    const { address, requests } = await httpTarget(t, plane, ({ url, socket }, response) => {
      if (url === '/endless') {
        open++
        const more = setInterval(() => response.write('more'), 100)
        socket.once('close', () => {
          clearInterval(more)
          open--
        })
        response.write('begun')
      } else response.end('fine')
    })
    // The idle timeout is longer than this test waits, so it is not what ends them.
    const patient = [httpService(80, { idleTimeout: 300 }, { healthCheck: httpCheck({}, { path: '/health' }) })]
    const balancer = await Balancer.ready(t, plane, { services: patient, targets: [targetAt(address)] })
    const count = 200
    const clients = Array.from({ length: count }, async () => {
      const socket = await dial(t, balancer.at(80))
      socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n')
      await read(socket, 1)
      return socket
    })
    const sockets = await Promise.all(clients)
    assert.equal(requests.length, count)
    const other = ask(balancer.at(80))
    for (const socket of sockets) socket.resetAndDestroy()
    assert.equal((await other).body, 'fine')
    await until(() => open === 0)
    assert.equal((await ask(balancer.at(80))).body, 'fine')
  })
})
