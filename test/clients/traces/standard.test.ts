/** The standard variables of OpenTelemetry, each as a collector sees it. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { call, program } from '../../program/kit/program.ts'
import { installOtlp, skipWithout } from '../kit/clients.ts'
import { startCollector } from '../kit/otlp/collector.ts'

const python = await installOtlp()
const noPython = { skip: python ? false : 'the library of OTLP cannot be installed' }

test('the library of OTLP is there', (t) => {
  if (!python) skipWithout(t, 'no Python with the library of OTLP')
})

describe('the standard variables', noPython, async () => {
  const collector = await startCollector(python!)
  const endpoint = collector.env.OTEL_EXPORTER_OTLP_ENDPOINT!
  after(() => collector.close())

  test('headers, compression, name, attributes and the endpoint for traces alone', async () => {
    const { serve } = program('traces-named', {
      env: {
        ...collector.env,
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/elsewhere',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/own/path`,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20all',
        OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
        OTEL_SERVICE_NAME: 'north',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=lab,service.name=south',
      },
    })
    const server = await serve('memory')
    await call(server.baseUrl, 'GET', '/locations')
    const { resource } = await collector.find((span) => span.resource['service.name'] === 'north')
    assert.equal(resource['deployment.environment.name'], 'lab')
    const brought = collector.requests.find(({ path }) => path === '/own/path')
    assert.equal(brought?.headers['x-key'], 'of all')
    assert.equal(brought?.headers['content-encoding'], 'gzip')
    assert.equal(brought?.headers['content-type'], 'application/x-protobuf')
    await server.stop()
  })

  test('JSON instead of protobuf', async () => {
    const env = { ...collector.env, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_SERVICE_NAME: 'in-json' }
    const { serve } = program('traces-json', { env })
    const server = await serve('memory')
    await call(server.baseUrl, 'GET', '/locations')
    const span = await collector.find(({ resource }) => resource['service.name'] === 'in-json')
    assert.match(span.traceId, /^[0-9a-f]{32}$/)
    assert.ok(collector.requests.some(({ headers }) => headers['content-type'] === 'application/json'))
    await server.stop()
  })

  test('the sampler decides which traces are kept, and a caller with an own decision has it kept', async () => {
    const env = { ...collector.env, OTEL_TRACES_SAMPLER: 'parentbased_always_off', OTEL_SERVICE_NAME: 'sampled' }
    const { serve } = program('traces-sampled', { env })
    const server = await serve('memory')
    const ask = async (traceparent?: string) =>
      (await fetch(`${server.baseUrl}/locations`, traceparent ? { headers: { traceparent } } : {})).headers.get(
        'traceparent',
      )!
    assert.match(await ask(), /-00$/)
    const wanted = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
    assert.match(await ask(wanted), /-01$/)
    await collector.find(({ resource }) => resource['service.name'] === 'sampled')
    await server.stop()
    const kept = collector.spans.filter(({ resource }) => resource['service.name'] === 'sampled')
    assert.deepEqual(
      kept.map(({ traceId }) => traceId),
      ['1'.repeat(32)],
    )
  })

  test('what waits is sent when the server ends', async () => {
    const env = { ...collector.env, OTEL_BSP_SCHEDULE_DELAY: '600000', OTEL_SERVICE_NAME: 'at-last' }
    const { serve } = program('traces-last', { env })
    const server = await serve('memory')
    await call(server.baseUrl, 'GET', '/locations')
    await server.stop()
    await collector.find(({ resource }) => resource['service.name'] === 'at-last')
  })
})
