/** Sends spans by OTLP over HTTP. */
import { type ClientRequest, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { parseKeyPairsIntoRecord } from '@opentelemetry/core'
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base'
import { createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { TracesConfig } from '../config/traces.ts'

/** Files that secure the connection, as PEM. */
interface Files {
  readonly ca: Buffer | undefined
  readonly cert: Buffer | undefined
  readonly key: Buffer | undefined
}

const formats = {
  'http/protobuf': { serializer: ProtobufTraceSerializer, type: 'application/x-protobuf' },
  'http/json': { serializer: JsonTraceSerializer, type: 'application/json' },
} as const

/** The most requests at a collector at once; what comes while it answers none is dropped. */
const mostAtOnce = 4

const agents = new WeakSet<object>()

/** Tells whether a request sends spans. */
export function sendsSpans(request: ClientRequest): boolean {
  return agents.has((request as ClientRequest & { readonly agent: object }).agent)
}

/** Makes an exporter without connecting. */
export function exporterFor(config: TracesConfig, files: Files): SpanExporter {
  const { serializer, type } = formats[config.protocol]
  const delegate = createOtlpHttpExportDelegate(
    {
      url: config.url,
      headers: async () => ({ ...parseKeyPairsIntoRecord(config.headers), 'Content-Type': type }),
      compression: config.compression,
      timeoutMillis: config.timeoutMs,
      concurrencyLimit: mostAtOnce,
      userAgent: 'wolke',
      agentFactory: (protocol) => {
        const agent =
          protocol === 'http:' ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true, ...files })
        agents.add(agent)
        return agent
      },
    },
    serializer,
    'otlp_http_span_exporter',
    TraceExporterMetricsHelper,
    undefined,
  )
  return new OTLPExporterBase(delegate)
}
