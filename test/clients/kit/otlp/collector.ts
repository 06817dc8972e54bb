/** A collector of OpenTelemetry: what it is sent is decoded by the protocol's own library, and kept. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** A span as the library understands it. */
export interface SeenSpan {
  readonly resource: Readonly<Record<string, unknown>>
  readonly scope: string
  readonly traceId: string
  readonly spanId: string
  /** Empty for the first one of a trace. */
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  readonly kind: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly hasFailed: boolean
  readonly isEnded: boolean
}

/** The request that brought some spans. */
export interface Brought {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
}

export interface Collector {
  /** The variables that make a server send its spans here, and soon. */
  readonly env: Readonly<Record<string, string>>
  readonly spans: readonly SeenSpan[]
  readonly requests: readonly Brought[]
  /** Waits until some span is there, and returns it. */
  find(isWanted: (span: SeenSpan) => boolean): Promise<SeenSpan>
  close(): Promise<void>
}

/** Starts a collector on loopback, with a Python that has the library. */
export async function startCollector(python: string): Promise<Collector> {
  const decoder = spawn(python, [join(import.meta.dirname, 'decode.py')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const spans: SeenSpan[] = []
  const requests: Brought[] = []
  const waiting = new Set<() => void>()
  createInterface(decoder.stdout).on('line', (line) => {
    spans.push(...(JSON.parse(line) as SeenSpan[]))
    for (const look of waiting) look()
  })
  const server = createServer(async (request, response) => {
    const { headers, url: path = '' } = request
    const body = await buffer(request)
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
    const isJson = headers['content-type'] === 'application/json'
    requests.push({ path, headers })
    decoder.stdin.write(`${isJson ? 'json' : 'protobuf'} ${plain.toString('base64')}\n`)
    response.setHeader('content-type', headers['content-type']!).end(isJson ? '{}' : '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '50' },
    spans,
    requests,
    find(isWanted) {
      return new Promise((resolve) => {
        const look = () => {
          const found = spans.find(isWanted)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
    },
    async close() {
      server.closeAllConnections()
      server.close()
      decoder.stdin.end()
      await once(decoder, 'close')
    },
  }
}

/** The names of a span and of those above it in its trace, the outermost first; a parent that is missing ends it. */
export function pathOf(spans: readonly SeenSpan[], span: SeenSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  if (parent) assert.equal(parent.traceId, span.traceId)
  return parent ? [...pathOf(spans, parent), span.name] : [span.name]
}
