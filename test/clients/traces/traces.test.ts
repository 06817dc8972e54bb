/** The traces of the real program, as a collector understands them: over processes, restarts and everything between. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { serverBody } from '../../../src/families/servers/proof.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../../kit/database/postgres.ts'
import { onPostgres } from '../../kit/engines.ts'
import { program, type Served, token } from '../../program/kit/program.ts'
import { installOtlp, skipWithout } from '../kit/clients.ts'
import { type Collector, pathOf, type SeenSpan, startCollector } from '../kit/otlp/collector.ts'

const python = await installOtlp()
const noPython = { skip: python ? false : 'the library of OTLP cannot be installed' }

test('the library of OTLP is there', (t) => {
  if (!python) skipWithout(t, 'no Python with the library of OTLP')
})

describe('traces', noPython, async () => {
  const collector = await startCollector(python!)
  const { folder, serve } = program('traces', { env: collector.env })
  const loud = ['--log-level', 'info']
  after(async () => {
    await collector.close()
    await closeAdmin()
  })

  /** Sends a request as a part of a new trace, and returns the id of that. */
  const ask = async ({ baseUrl }: Served, method: string, path: string, body?: unknown) => {
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        traceparent: `00-${traceId}-${spanId}-01`,
        tracestate: 'vendor=opaque',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
    const json = (await response.json()) as any
    assert.ok(response.ok, JSON.stringify(json))
    return { traceId, spanId, json, answered: response.headers.get('traceparent') }
  }
  const named = (traceId: string, name: string) => (span: SeenSpan) => span.traceId === traceId && span.name === name
  const instance = (span: SeenSpan) => span.resource['service.instance.id']

  test('a request with all that it starts is one trace, from its caller to the calls of drivers', async () => {
    const server = await serve(`sqlite:${folder}/whole.db`, ...loud)
    const { traceId, spanId, json, answered } = await ask(server, 'POST', '/servers', serverBody('whole'))
    const call = await collector.find(named(traceId, 'servers.apply'))
    const action = await collector.find(named(traceId, 'action create_server'))
    const request = await collector.find(named(traceId, 'POST /v1/servers'))
    assert.deepEqual(pathOf(collector.spans, call).slice(0, 3), [
      'POST /v1/servers',
      'transaction',
      pathOf(collector.spans, call)[2],
    ])
    assert.match(pathOf(collector.spans, call).slice(2).join(' > '), /^action \w+_server > step \w+ > servers\.apply$/)
    assert.equal(request.parentSpanId, spanId)
    assert.equal(answered, `00-${traceId}-${request.spanId}-01`)
    assert.equal(request.traceState, 'vendor=opaque')
    assert.equal(request.kind, 'SPAN_KIND_SERVER')
    assert.equal(call.kind, 'SPAN_KIND_CLIENT')
    const { attributes, resource } = request
    assert.equal(attributes['http.response.status_code'], 201)
    assert.equal(attributes['http.route'], '/v1/servers')
    assert.deepEqual(attributes['wolke.action.ids'], [
      json.action.id,
      ...json.next_actions.map(({ id }: { id: number }) => id),
    ])
    assert.equal(action.attributes['wolke.action.id'], json.action.id)
    assert.equal(resource['service.name'], 'wolke')
    const transaction = await collector.find(named(traceId, 'transaction'))
    assert.equal(transaction.attributes['db.system.name'], 'sqlite')
    assert.equal(typeof transaction.attributes['wolke.transaction.commit_ms'], 'number')
    assert.ok(collector.spans.every(({ isEnded }) => isEnded))
    const [line] = server.log().filter(({ path, method }) => path === '/v1/servers' && method === 'POST')
    assert.equal(line?.trace_id, traceId)
    assert.deepEqual(line?.actions, attributes['wolke.action.ids'])
    assert.equal(line?.token_id, attributes['wolke.token.id'])
    await server.stop()
  })

  test('nothing that a span says is a secret', async () => {
    const server = await serve('memory')
    const secret = randomBytes(32).toString('hex')
    await fetch(`${server.baseUrl}/servers?name=${secret}`, { headers: { authorization: `Bearer ${secret}` } })
    await fetch(`${server.baseUrl}/${secret}`, { headers: { 'user-agent': secret } })
    const { traceId } = await ask(server, 'GET', '/locations')
    await collector.find(named(traceId, 'GET /v1/locations'))
    assert.ok(!JSON.stringify(collector.spans).includes(secret))
    assert.ok(!JSON.stringify(collector.spans).includes(token))
    await server.stop()
  })

  test('headers that are no trace begin a new one, and are refused by nobody', async () => {
    const server = await serve('memory')
    const id = 'a'.repeat(32)
    const bad = [
      '',
      'x',
      `00-${id}-${'0'.repeat(16)}-01`,
      `ff-${id}-${'b'.repeat(16)}-01`,
      `00-${id}-${'b'.repeat(16)}-01-x`,
    ]
    const long = [
      `00-${id.toUpperCase()}-${'b'.repeat(16)}-01`,
      `00-${id}-${'b'.repeat(16)}-01, 00-${id}-${'c'.repeat(16)}-01`,
      'é'.repeat(4_000),
    ]
    for (const traceparent of [...bad, ...long]) {
      const headers = { authorization: `Bearer ${token}`, traceparent, tracestate: '='.repeat(2_000) }
      const response = await fetch(`${server.baseUrl}/locations`, { headers })
      assert.equal(response.status, 200)
      assert.match(response.headers.get('traceparent')!, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
      assert.ok(!response.headers.get('traceparent')!.includes(id))
    }
    // A later version has more at its end, and is read as far as it is known.
    const later = `01-${id}-${'b'.repeat(16)}-01-more`
    const response = await fetch(`${server.baseUrl}/locations`, { headers: { traceparent: later } })
    assert.ok(response.headers.get('traceparent')!.startsWith(`00-${id}-`))
    await server.stop()
  })

  test('an action whose process was killed goes on in the same trace in the next one (SQLite)', async () => {
    const database = `sqlite:${folder}/killed.db`
    const first = await serve(database, '--action-delay', '3000')
    const { traceId } = await ask(first, 'POST', '/servers', serverBody('killed'))
    const request = await collector.find(named(traceId, 'POST /v1/servers'))
    await first.kill()
    const second = await serve(database)
    await goesOn(collector, request, 'action create_server')
    await second.stop()
  })

  test('an action goes on in the same trace in another process (PostgreSQL)', onPostgres, async () => {
    const { url, drop } = await createDatabase(await postgresUrl())
    const servers: Served[] = []
    try {
      servers.push(await serve(url, '--action-delay', '3000'), await serve(url))
      const { traceId } = await ask(servers[0]!, 'POST', '/servers', serverBody('moved'))
      const request = await collector.find(named(traceId, 'POST /v1/servers'))
      await collector.find(
        (span) => named(traceId, 'transaction')(span) && span.attributes['db.system.name'] === 'postgresql',
      )
      await servers[0]!.kill()
      await goesOn(collector, request, 'action create_server')
    } finally {
      await Promise.all(servers.map((server) => server.kill()))
      await drop()
    }
  })

  /** Waits for an action of a trace in another process than that of its request. */
  async function goesOn({ find, spans }: Collector, request: SeenSpan, name: string): Promise<void> {
    const { traceId } = request
    const isElsewhere = (span: SeenSpan) => span.traceId === traceId && instance(span) !== instance(request)
    const action = await find((span) => span.name === name && isElsewhere(span))
    assert.deepEqual(pathOf(spans, action), ['POST /v1/servers', 'transaction', name])
    const call = await find((span) => span.name === 'servers.apply' && isElsewhere(span))
    assert.deepEqual(pathOf(spans, call).slice(0, 2), ['POST /v1/servers', 'transaction'])
  }

  test('transfers of zones are spans, on both sides', async () => {
    const primary = await serve('memory', '--dns-transfer-to', '127.0.0.1:53')
    const secondary = await serve('memory', '--dns-private-primaries', '127.0.0.0/8')
    await ask(primary, 'POST', '/zones', { name: 'traced.example', mode: 'primary' })
    const primary_nameservers = [{ address: '127.0.0.1', port: primary.dns.port }]
    await ask(secondary, 'POST', '/zones', { name: 'traced.example', mode: 'secondary', primary_nameservers })
    const of = (name: string, kind: string) => (span: SeenSpan) =>
      span.name === name &&
      span.kind === kind &&
      /^traced\.example\.?$/.test(String(span.attributes['dns.question.name']))
    const sent = await collector.find(of('DNS AXFR', 'SPAN_KIND_SERVER'))
    const received = await collector.find(of('DNS AXFR', 'SPAN_KIND_CLIENT'))
    const asked = await collector.find(of('DNS SOA', 'SPAN_KIND_CLIENT'))
    await collector.find((span) => span.name === 'zone refresh' && span.spanId === received.parentSpanId)
    assert.ok(!sent.hasFailed && !received.hasFailed && !asked.hasFailed)
    assert.equal(sent.attributes['wolke.dns.peer'], '127.0.0.1')
    assert.ok(Number(sent.attributes['wolke.dns.bytes']) > 0)
    assert.equal(received.attributes['wolke.dns.peer'], `127.0.0.1 ${primary.dns.port}`)
    await Promise.all([primary.stop(), secondary.stop()])
  })
})
