/** Services of HTTPS: the certificate fits the name, HTTP/2 and HTTP/1.1 are spoken, and renewals end nothing. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { Agent, createServer } from 'node:https'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { until } from '../../kit/database/bare-database.ts'
import { targetAt } from '../../kit/samples/balancer-states.ts'
import { Balancer, certificate, httpCheck, httpService } from '../kit/balancers.ts'
import { ask, dial, statusOf } from '../kit/clients.ts'
import { onEachPlane } from '../kit/each-plane.ts'
import type { Plane } from '../kit/planes.ts'
import { httpTarget, listen } from '../kit/targets.ts'

const healthCheck = httpCheck({}, { path: '/health' })

async function secureBalancer(t: TestContext, plane: Plane, ...domains: string[]) {
  const { address, requests } = await httpTarget(t, plane, async (incoming, response) => {
    if (incoming.url === '/health') return void response.end()
    const body = (await incoming.toArray()).join('')
    response.writeHead(200, { 'x-by': address, connection: 'keep-alive' }).end(`${incoming.method} ${body}`)
  })
  const certificates = domains.map((domain) => certificate(domain))
  const balancer = await Balancer.ready(t, plane, {
    services: [httpService(443, { certificates }, { healthCheck })],
    targets: [targetAt(address)],
  })
  return { balancer, requests, certificates }
}

/** Opens HTTP/2 over TLS. */
async function openHttp2(t: TestContext, balancer: Balancer, servername: string): Promise<ClientHttp2Session> {
  const { host, port } = balancer.at(443)
  const session = connectHttp2(`https://${host}:${port}`, { servername, rejectUnauthorized: false })
  t.after(() => session.destroy())
  await once(session, 'connect')
  return session
}

async function askHttp2(session: ClientHttp2Session, headers: Record<string, string | string[]>, body = '') {
  const stream = session.request({ ':authority': 'www.example.com', ...headers }, { endStream: body === '' })
  if (body !== '') stream.end(body)
  const [answer] = await once(stream, 'response')
  return { headers: answer, body: (await stream.toArray()).join('') }
}

onEachPlane('HTTPS', import.meta.filename, (plane) => {
  test('has the certificate of the name, and the first for names that none has', async (t) => {
    const domains = ['first.example', 'www.example.com', '*.example.com', '*.deep.example.com']
    const { balancer } = await secureBalancer(t, plane, ...domains)
    const shown = async (name: string) => (await ask(balancer.at(443), { name })).names
    assert.equal(await shown('www.example.com'), 'DNS:www.example.com')
    assert.equal(await shown('WWW.Example.COM'), 'DNS:www.example.com')
    assert.equal(await shown('other.example.com'), 'DNS:*.example.com')
    assert.equal(await shown('a.deep.example.com'), 'DNS:*.deep.example.com')
    // A wildcard stands for one label, and not for none.
    for (const name of ['first.example', 'unknown.example', 'a.b.example.com', 'example.com', '']) {
      assert.equal(await shown(name), 'DNS:first.example', name)
    }
  })

  test('speaks HTTP/2 and HTTP/1.1, as clients prefer', async (t) => {
    const { balancer } = await secureBalancer(t, plane, 'www.example.com')
    const { host, port } = balancer.at(443)
    const chosen = async (...ALPNProtocols: string[]) => {
      const socket = connectTls({ host, port, ALPNProtocols, rejectUnauthorized: false })
      t.after(() => socket.destroy())
      await once(socket, 'secureConnect')
      return socket.alpnProtocol
    }
    assert.equal(await chosen('h2', 'http/1.1'), 'h2')
    assert.equal(await chosen('http/1.1'), 'http/1.1')
    assert.equal((await ask(balancer.at(443), { name: '' })).status, 200)
  })

  test('translates HTTP/2 to what targets speak', async (t) => {
    const { balancer, requests } = await secureBalancer(t, plane, 'www.example.com')
    const session = await openHttp2(t, balancer, 'www.example.com')
    const cookie = ['a=1', 'b=2']
    const posted = await askHttp2(session, { ':method': 'POST', ':path': '/p?q', cookie, 'x-more': 'yes' }, 'body')
    assert.deepEqual([posted.headers[':status'], posted.body], [200, 'POST body'])
    assert.equal(posted.headers.connection, undefined)
    const seen = requests.at(-1)!
    assert.deepEqual([seen.method, seen.url, seen.version], ['POST', '/p?q', '1.1'])
    assert.deepEqual([seen.headers.host, seen.headers['x-more']], ['www.example.com', 'yes'])
    assert.equal(seen.headers.cookie?.replaceAll(' ', ''), 'a=1;b=2')
    assert.equal(seen.headers['x-forwarded-proto'], 'https')
    assert.ok(!seen.rawHeaders.some((name) => name.startsWith(':')), 'no pseudo headers')
    const many = await Promise.all(Array.from({ length: 20 }, (_, n) => askHttp2(session, { ':path': `/${n}` })))
    assert.ok(many.every(({ headers, body }) => headers[':status'] === 200 && body === 'GET '))
    const head = await askHttp2(session, { ':method': 'HEAD' })
    assert.deepEqual([head.headers[':status'], head.body], [200, ''])
  })

  test('shows a renewed certificate to who comes, and leaves who is there alone', async (t) => {
    const { balancer, certificates } = await secureBalancer(t, plane, 'www.example.com')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const kept = () => ask(balancer.at(443), { name: 'www.example.com', agent })
    const before = await kept()
    const session = await openHttp2(t, balancer, 'www.example.com')
    // A certificate that is renewed stays the one that it is.
    const renewed = { ...certificate('www.example.com'), id: certificates[0]!.id }
    const [service] = balancer.state.services
    await balancer.change({ services: [{ ...service!, http: { ...service!.http!, certificates: [renewed] } }] })
    const { serialNumber } = new X509Certificate(renewed.chain)
    const { serial } = await ask(balancer.at(443), { name: 'www.example.com' })
    assert.equal(serial, serialNumber)
    const after = await kept()
    assert.deepEqual([after.from, after.serial], [before.from, before.serial])
    assert.equal((await askHttp2(session, {})).headers[':status'], 200)
    // The next change does not bring the old one back.
    await balancer.change({ algorithm: 'least_connections' })
    assert.equal((await ask(balancer.at(443), { name: 'www.example.com' })).serial, serialNumber)
  })

  test('survives who speaks something else', async (t) => {
    const { balancer } = await secureBalancer(t, plane, 'www.example.com')
    assert.notEqual(await statusOf(balancer.at(443)), 200)
    const { host, port } = balancer.at(443)
    const garbage = connect(port, host).on('error', () => undefined)
    garbage.end(Buffer.from('160301ffff0100fffe0303', 'hex'))
    const silent = await dial(t, balancer.at(443))
    assert.equal(await statusOf(balancer.at(443), { name: 'www.example.com' }), 200)
    silent.destroy()
    garbage.destroy()
  })

  test('checks targets with TLS, and takes any certificate', async (t) => {
    const { chain, privateKey } = certificate('elsewhere.example')
    const names: string[] = []
    const server = createServer({ cert: chain, key: privateKey }, (incoming, response) => {
      names.push(String((incoming.socket as TLSSocket & { servername?: string }).servername))
      response.end('fine')
    })
    const { address } = await listen(t, plane, server)
    const secure = httpCheck({}, { usesTls: true, domain: 'www.example.com', response: 'fine' })
    const balancer = await Balancer.ready(t, plane, {
      services: [httpService(80, {}, { healthCheck: secure })],
      targets: [targetAt(address)],
    })
    await until(async () => (await balancer.health(address)).status === 'healthy')
    assert.equal(names[0], 'www.example.com')
  })
})
