/** A certificate that a real authority issues, as a trace. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installOtlp, skipWithout } from '../kit/clients.ts'
import { pathOf, startCollector } from '../kit/otlp/collector.ts'
import { pebble, startRig } from '../kit/pebble.ts'

test('requests to a certificate authority are spans of the action that makes them', async (t) => {
  const python = await installOtlp()
  if (!python || !pebble) return skipWithout(t, 'no Pebble, or no Python with the library of OTLP')
  const collector = await startCollector(python)
  t.after(() => collector.close())
  // The server has what this process has.
  Object.assign(process.env, collector.env)
  const { service, stop } = await startRig({ PEBBLE_VA_NOSLEEP: '1' })
  try {
    const ask = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${service.env.HCLOUD_TOKEN}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(service.env.HCLOUD_ENDPOINT + path, init)
      assert.equal(response.status, 201, await response.text())
      return response.headers.get('traceparent')!.slice(3, 35)
    }
    await ask('/zones', { name: 'traced.example', mode: 'primary' })
    const body = { name: 'traced', type: 'managed', domain_names: ['www.traced.example'] }
    const traceId = await ask('/certificates', body)
    await collector.find((span) => span.traceId === traceId && span.name === 'action create_certificate')
    const sent = collector.spans.filter(
      (span) => span.traceId === traceId && String(span.attributes['url.full']).startsWith('https:'),
    )
    const [order] = sent.filter((span) => String(span.attributes['url.full']).includes('order'))
    assert.ok(order, JSON.stringify(sent))
    assert.equal(order.kind, 'SPAN_KIND_CLIENT')
    assert.match(
      pathOf(collector.spans, order).join(' > '),
      /^POST \/v1\/certificates > transaction > action create_certificate > step \S+ > authority\.\w+ > POST$/,
    )
  } finally {
    await stop()
  }
})
