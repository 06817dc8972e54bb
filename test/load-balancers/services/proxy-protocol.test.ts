/** The PROXY protocol: targets learn who the client is, from a header that others understand as well. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { skipWithout } from '../../clients/kit/clients.ts'
import { until } from '../../kit/database/bare-database.ts'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, check, httpCheck, httpService, tcpService } from '../kit/balancers.ts'
import { ask, dial, read, statusOf } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import type { Plane } from '../kit/planes.ts'
import { joined, type ProxyHeader, readProxyHeader } from '../kit/proxy-protocol.ts'
import { listen, type Place } from '../kit/targets.ts'

/** Where IPv4 and IPv6 are the same machine, each test has a port of its own. */
const ports = { tcp: 8101, http: 8102, haproxy: 8103 }

interface Greeted {
  readonly header: ProxyHeader
  /** What came after the header first. */
  readonly text: string
}

/** Reads a header from each connection, and answers what follows it: HTTP with the source, and all else with itself. */
async function greeted(t: TestContext, plane: Plane, place: Partial<Place>) {
  const seen: Greeted[] = []
  const errors: unknown[] = []
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    let bytes = Buffer.alloc(0)
    let header: ProxyHeader | undefined
    socket.on('end', () => socket.end())
    socket.on('data', (part) => {
      bytes = Buffer.concat([bytes, part])
      try {
        header ??= readProxyHeader(bytes)
      } catch (error) {
        errors.push(error)
        socket.destroy()
      }
      const text = header ? bytes.toString('latin1', header.length) : ''
      if (!header || text === '') return
      seen.push({ header, text })
      bytes = bytes.subarray(0, header.length)
      const { source } = header
      if (/ HTTP\/1/.test(text)) socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${source.length}\r\n\r\n${source}`)
      else socket.write(source)
    })
  })
  const { address } = await listen(t, plane, server, place)
  return { address, seen, errors }
}

onEachPlane('The PROXY protocol', import.meta.filename, (plane) => {
  const families = () =>
    [
      [`${plane.site.balancerNet}.${plane.next()}`, plane.targetAddress()],
      [plane.site.balancerAddress6(plane.next()), plane.site.targetAddress6],
    ] as const

  test('tells targets of TCP the addresses of both ends', async (t) => {
    for (const [address, at] of families()) {
      const port = ports.tcp
      const to = await greeted(t, plane, { address: at, port })
      const service = tcpService(93, { destinationPort: port, usesProxyProtocol: true, healthCheck: check({ port }) })
      const balancer = await Balancer.ready(t, plane, {
        publicAddresses: [address],
        services: [service],
        targets: [targetAt(at)],
      })
      const socket = await dial(t, balancer.at(93))
      socket.end('hello')
      const from = joined(socket.localAddress!, socket.localPort!)
      assert.equal((await read(socket)).toString(), from)
      const { header, text } = to.seen.at(-1)!
      const { port: listening } = balancer.at(93)
      assert.deepEqual(
        [header.version, header.isLocal, header.source, header.destination, text],
        [2, false, from, joined(address, listening), 'hello'],
      )
      assert.deepEqual(to.errors, [])
      await balancer.remove()
    }
  })

  test('tells targets of HTTP about each client, also when they come at once', async (t) => {
    for (const [address, at] of families()) {
      const port = ports.http
      const to = await greeted(t, plane, { address: at, port })
      const healthCheck = httpCheck({ port }, { path: '/health' })
      const service = httpService(94, {}, { destinationPort: port, usesProxyProtocol: true, healthCheck })
      const balancer = await Balancer.ready(t, plane, {
        publicAddresses: [address],
        services: [service],
        targets: [targetAt(at)],
      })
      // The check came with a header as well, or it would not be healthy.
      assert.deepEqual(await balancer.health(at), { status: 'healthy' })
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(balancer.at(94))))
      for (const { from, body } of answers) {
        const [, own = '', ownPort] = /^(.*):(\d+)$/.exec(from) ?? []
        assert.equal(body, joined(own, Number(ownPort)))
      }
      assert.ok(to.seen.some(({ text }) => text.startsWith('GET /health')))
      assert.deepEqual(to.errors, [])
      await balancer.remove()
    }
  })

  test('is understood by HAProxy', async (t) => {
    if (!(await promisify(execFile)('haproxy', ['-v']).catch(() => undefined))) {
      return skipWithout(t, 'haproxy is not installed')
    }
    for (const [address, at] of families()) {
      const port = ports.haproxy
      await startHaproxy(t, at, port)
      const healthCheck = httpCheck({ port }, { path: '/health' })
      const service = httpService(95, {}, { destinationPort: port, usesProxyProtocol: true, healthCheck })
      const balancer = await Balancer.ready(t, plane, {
        publicAddresses: [address],
        services: [service],
        targets: [targetAt(at)],
      })
      assert.deepEqual(await balancer.health(at), { status: 'healthy' })
      const { from, body } = await ask(balancer.at(95))
      const { port: listening } = balancer.at(95)
      assert.equal(body, `${from} ${address}:${listening}`)
      await balancer.remove()
    }
  })
})

/** HAProxy as a target that answers with the addresses that the header told it. */
async function startHaproxy(t: TestContext, address: string, port: number): Promise<void> {
  const bind = isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`
  const configuration = [
    'defaults',
    '  mode http',
    '  timeout client 5s',
    'frontend f',
    `  bind ${bind} accept-proxy`,
    '  http-request return status 200 content-type text/plain lf-string "%[src]:%[src_port] %[dst]:%[dst_port]"',
    '',
  ].join('\n')
  const folder = mkdtempSync(join(tmpdir(), 'wolke-target-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration)
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  await until(async () => (await statusOf({ host: address, port })) !== 'ECONNREFUSED')
}

describe('A header of the PROXY protocol', () => {
  const signature = '0d0a0d0a000d0a515549540a'
  const header = (hex: string) => readProxyHeader(Buffer.from(`${signature}${hex}`, 'hex'))

  test('is read as its specification says', () => {
    assert.deepEqual(header('2111000c c0000214 c6336401 d431 01bb'.replaceAll(' ', '')), {
      version: 2,
      isLocal: false,
      source: '192.0.2.20:54321',
      destination: '198.51.100.1:443',
      length: 28,
    })
    const [source, destination] = ['20010db8000000000000000000000001', '20010db8000000000000000000000002']
    assert.equal(header(`21210024${source}${destination}00500051`)?.destination, '[2001:db8::2]:81')
    assert.equal(header('20000000')?.isLocal, true)
    assert.equal(readProxyHeader(Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 5 80\r\nmore'))?.length, 37)
    assert.equal(readProxyHeader(Buffer.from(signature, 'hex').subarray(0, 5)), undefined)
    assert.equal(header('2111000cc0'), undefined)
  })

  test('is not found in anything else', () => {
    for (const hex of ['3111000c', '2211000c', '2113000c', '21110004c0000214']) {
      assert.throws(() => header(hex.padEnd(200, '0')), Error, hex)
    }
    assert.throws(() => readProxyHeader(Buffer.from('GET / HTTP/1.1\r\n')))
    assert.throws(() => readProxyHeader(Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 5\r\n')))
  })
})
