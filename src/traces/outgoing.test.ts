import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Noted, noting } from '../../test/kit/samples/noted-spans.ts'
import { inSpan } from '../kernel/process/tracing.ts'
import { Transport } from '../protocols/incus/transport.ts'
import { traceOutgoing } from './outgoing.ts'

/** A server that keeps the headers of its requests, at a path or at a free port. */
async function listening(t: TestContext, path?: string) {
  const seen: IncomingHttpHeaders[] = []
  const server = createServer(({ headers, url }, response) => {
    seen.push(headers)
    response.writeHead(url === '/missing' ? 404 : 200).end('{}')
  })
  server.listen(path ?? { port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, port: path === undefined ? (server.address() as AddressInfo).port : 0 }
}

/** Sends a request by Node, and reads its whole answer. */
async function get(port: number, path: string, agent = new Agent()): Promise<void> {
  const sent = request({ host: '127.0.0.1', port, path, agent }).end()
  const [response] = await once(sent, 'response')
  await once(response.resume(), 'end')
}

const hasEnded = ({ isEnded }: Noted) => isEnded

test('requests to a host carry the trace on, as far as they belong to one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-outgoing-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'incus')
  const { seen } = await listening(t, socket)
  const { tracer, spans } = noting(t)
  t.after(traceOutgoing(tracer, () => false))
  const transport = new Transport({ socket })
  t.after(() => transport.close())
  await transport.send('GET', '/1.0/events?of=all', undefined, { timeoutMs: 60_000 })
  assert.deepEqual([seen[0]?.traceparent, spans], [undefined, []])
  await inSpan(tracer, { name: 'step' }, () =>
    transport.send('GET', '/1.0?recursion=2', undefined, { timeoutMs: 60_000 }),
  )
  assert.deepEqual(
    spans.map(({ path }) => path),
    ['step', 'step > GET'],
  )
  assert.equal(seen[1]?.traceparent, `00-${'1'.repeat(32)}-${'1'.padStart(16, '0')}-01`)
  assert.equal(spans[1]?.attributes['url.full'], 'http://incus/1.0')
  assert.equal(spans[1]?.attributes['http.response.status_code'], 200)
  assert.ok(spans.every(hasEnded))
})

test('third parties get no trace, and spans that are sent have none themselves', async (t) => {
  const { seen, port } = await listening(t)
  const { tracer, spans } = noting(t)
  const own = new Agent()
  const isOwn = (sent: object) => (sent as { readonly agent?: Agent }).agent === own
  t.after(traceOutgoing(tracer, isOwn))
  await inSpan(tracer, { name: 'step' }, () => get(port, '/missing'))
  await get(port, '/alone')
  await inSpan(tracer, { name: 'export' }, () => get(port, '/spans', own))
  assert.deepEqual(
    spans.map(({ path, failure }) => [path, failure]),
    [
      ['step', undefined],
      ['step > GET', '404'],
      ['GET', undefined],
      ['export', undefined],
    ],
  )
  assert.deepEqual(
    seen.map(({ traceparent }) => traceparent),
    [undefined, undefined, undefined],
  )
  assert.ok(spans.every(hasEnded))
})

test('a request that gets no answer is a span that says so', async (t) => {
  const { tracer, spans } = noting(t)
  t.after(traceOutgoing(tracer, () => false))
  const { port } = await listening(t)
  const sent = request({ host: '127.0.0.1', port, path: '/' })
  const closed = new Promise((resolve) => sent.on('error', () => undefined).once('close', resolve))
  sent.destroy(Object.assign(new Error('with a secret'), { code: 'ECONNRESET' }))
  await closed
  assert.deepEqual(
    spans.map(({ path, failure, isEnded }) => [path, failure, isEnded]),
    [['GET', 'ECONNRESET', true]],
  )
})
