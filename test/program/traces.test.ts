/** Collectors that are away, slow or hostile keep no server from its work; without one there is nothing of traces. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as listen, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { until } from '../kit/database/bare-database.ts'
import { bundle, call, makeKey, program, type Served } from './kit/program.ts'

const soon = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '200', OTEL_BSP_EXPORT_TIMEOUT: '300' }
const loud = ['--log-level', 'info']

async function urlOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Changes something, and waits for the action of a server. */
async function works(server: Served): Promise<void> {
  const key = await call(server.baseUrl, 'POST', '/ssh_keys', { name: 'mine', public_key: makeKey() })
  assert.equal(key.status, 201)
  const body = { name: 'a', server_type: 'cpx11', image: 'debian-12' }
  const { status, json } = await call(server.baseUrl, 'POST', '/servers', body)
  assert.equal(status, 201)
  const path = `/actions/${json.action.id}`
  await until(async () => (await call(server.baseUrl, 'GET', path)).json.action.status === 'success')
}

const isWarning = ({ msg }: Record<string, unknown>) => msg === 'spans could not be handed to the collector'

describe('a collector in trouble', () => {
  const answers: Readonly<Record<string, RequestListener>> = {
    'refuses with 500': (_, response) => void response.writeHead(500).end('no'),
    'refuses with 400 and a long reason': (_, response) =>
      void response.writeHead(400, 'x'.repeat(5_000)).end('y'.repeat(100_000)),
    'is busy for an hour': (_, response) => void response.writeHead(503, { 'retry-after': '3600' }).end(),
    'never answers': () => undefined,
    'answers without end': (_, response) => {
      response.writeHead(200)
      const write = () => {
        while (!response.destroyed && response.write('z'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    },
    'answers with what is no OTLP': (_, response) => void response.end('<html>'),
    'took none of it': (_, response) => {
      // A partial success, as protobuf has it.
      const message = Buffer.from('too many')
      response.end(Buffer.concat([Buffer.from([10, message.length + 4, 8, 9, 18, message.length]), message]))
    },
  }
  for (const [name, listener] of Object.entries(answers)) {
    test(`one that ${name}`, async (t) => {
      const collector = createServer(listener)
      const url = await urlOf(collector)
      t.after(() => {
        collector.closeAllConnections()
        collector.close()
      })
      const { serve } = program('traces-trouble', { env: { ...soon, OTEL_EXPORTER_OTLP_ENDPOINT: url } })
      const server = await serve('memory', ...loud)
      await works(server)
      await until(() => server.log().some(isWarning))
      const [warning, ...others] = server.log().filter(isWarning)
      assert.deepEqual(others, [])
      assert.equal(warning?.collector, url)
      assert.ok(String(warning?.reason).length <= 200)
      assert.equal((await call(server.baseUrl, 'GET', '/servers')).json.servers.length, 1)
      await server.stop()
      assert.equal(server.child.exitCode, 0)
    })
  }

  test('one that is not there', async () => {
    const closed = listen()
    const url = await urlOf(closed)
    closed.close()
    const { serve } = program('traces-away', { env: { ...soon, OTEL_EXPORTER_OTLP_ENDPOINT: url } })
    const server = await serve('memory', ...loud)
    await works(server)
    await until(() => server.log().some(isWarning))
    await server.stop()
    assert.equal(server.child.exitCode, 0)
  })
})

describe('without a collector', () => {
  const asked: unknown[] = []
  const collector = createServer((request, response) => {
    asked.push(request.url)
    response.end()
  })
  after(() => void collector.close())

  /** Asks a server, and tells how it answers and whether it has loaded the file of the program that has OpenTelemetry. */
  const told = async (env: Readonly<Record<string, string>>) => {
    const { folder, serve } = program('traces-off', { env: { ...soon, ...env } })
    const server = await serve('memory', ...loud)
    const headers = { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` }
    const response = await fetch(`${server.baseUrl}/locations`, { headers })
    await server.stop()
    const traced = response.headers.get('traceparent')
    const lines = server.log().filter(({ trace_id }) => trace_id !== undefined)
    return { traced: traced !== null, lines: lines.length, hasLoaded: loadedBy(folder).some(isOfTraces) }
  }

  test('there is nothing of traces, and with one there is', async () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: await urlOf(collector) }
    const nothing = { traced: false, lines: 0, hasLoaded: false }
    const coverage = { NODE_V8_COVERAGE: 'loaded' }
    for (const env of [
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
      { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
      { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' },
    ]) {
      assert.deepEqual(await told({ ...coverage, ...env }), nothing, JSON.stringify(env))
    }
    assert.deepEqual(asked, [])
    assert.deepEqual(await told({ ...coverage, ...endpoint }), { traced: true, lines: 1, hasLoaded: true })
    assert.deepEqual([...new Set(asked)], ['/v1/traces'])
  })
})

/** The files of the program that a server has loaded, which it has written beside its data when it ended. */
function loadedBy(folder: string): string[] {
  const reports = globSync('loaded/*.json', { cwd: folder }).map((name) => readFileSync(join(folder, name), 'utf8'))
  assert.ok(reports.length > 0)
  const urls = reports.flatMap((text) =>
    (JSON.parse(text) as { result: { url: string }[] }).result.map(({ url }) => url),
  )
  return urls.filter((url) => url.startsWith(pathToFileURL(dirname(bundle)).href)).map((url) => fileURLToPath(url))
}

/** Tells whether a file has OpenTelemetry in it, whose spans are sent under this name. */
const isOfTraces = (path: string) => readFileSync(path, 'utf8').includes('otlp_http_span_exporter')

describe('variables that do not fit', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
  for (const [given, says] of [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, /OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL/],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      /OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported; use http\/protobuf/,
    ],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http' },
      /OTEL_EXPORTER_OTLP_PROTOCOL: expected http\/protobuf, http\/json/,
    ],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, /OTEL_EXPORTER_OTLP_TIMEOUT: expected a whole number/],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, /OTEL_EXPORTER_OTLP_COMPRESSION: expected gzip, none/],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere.pem' }, /OTEL_EXPORTER_OTLP_CERTIFICATE: ENOENT/],
    [{ ...endpoint, OTEL_TRACES_SAMPLER: 'some' }, /OTEL_TRACES_SAMPLER: expected always_on/],
    [
      { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      /OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1/,
    ],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER: expected 'otlp' or 'none'/],
  ] as const) {
    const [name, value] = Object.entries(given).at(-1)!
    test(`${name}=${value} is refused at the start`, async () => {
      const { command } = program('traces-unfit', { env: given })
      const { code, stderr } = await command('serve', '--database', 'memory', '--listen', '127.0.0.1:0')
      assert.notEqual(code, 0)
      assert.match(stderr, says)
      assert.match(stderr, /^wolke: [^\n]+\n$/m)
    })
  }
})
