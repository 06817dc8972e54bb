/**
 * Traces for a collector of OpenTelemetry. This part is loaded only where the environment asks for it
 * (docs/adr/0050-traces-at-a-seam.md).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Attributes as LibraryAttributes,
  type Span as LibrarySpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { parseKeyPairsIntoRecord, W3CTraceContextPropagator } from '@opentelemetry/core'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Sampling, TracesConfig } from '../config/traces.ts'
import type { Logger } from '../kernel/process/log.ts'
import { type Attributes, type Span, type SpanStart, type Tracer, traceWith } from '../kernel/process/tracing.ts'
import { exporterFor, sendsSpans } from './exporter.ts'
import { traceOutgoing } from './outgoing.ts'
import { warnOf } from './trouble.ts'

/** Sending what is left may take so long when the server ends, in milliseconds. */
const lastMs = 2_000

/** Traces that are sent until they are closed. */
export interface Traces {
  /** Sends what waits; returns whether all of it was taken in time. */
  close(): Promise<boolean>
}

/** Has all later work of this process traced. Errors: one that names the variable of a file that cannot be read. */
export function openTraces(config: TracesConfig, { log, version }: { log: Logger; version: string }): Traces {
  const running = new AsyncLocalStorage<Span | undefined>()
  const exporter = exporterFor(config, filesOf(config))
  warnOf(log, new URL(config.url).origin)
  const provider = new TracerProvider({
    resource: resourceOf(config, version),
    sampler: samplerOf(config.sampling),
    spanLimits: { attributeValueLengthLimit: 2_000 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: config.delayMs,
        exportTimeoutMillis: config.exportTimeoutMs,
        maxQueueSize: config.mostWaiting,
        maxExportBatchSize: Math.min(config.mostAtOnce, config.mostWaiting),
      }),
    ],
  })
  const tracer = tracerOf(provider.getTracer('wolke', version), running)
  traceWith(tracer)
  const stop = traceOutgoing(tracer, sendsSpans)
  log.info({ collector: new URL(config.url).origin, protocol: config.protocol }, 'traces are sent to a collector')
  return {
    async close() {
      stop()
      traceWith(undefined)
      const sent = provider.shutdown().then(
        () => true,
        () => false,
      )
      return Promise.race([sent, delay(lastMs, false, { ref: false })])
    },
  }
}

/** The files that secure the connection. */
function filesOf({ ca, cert, key }: TracesConfig) {
  const read = (name: string, path: string | undefined) => {
    try {
      return path === undefined ? undefined : readFileSync(path)
    } catch (error) {
      throw new Error(`OTEL_EXPORTER_OTLP_${name}: ${(error as Error).message}`, { cause: error })
    }
  }
  return { ca: read('CERTIFICATE', ca), cert: read('CLIENT_CERTIFICATE', cert), key: read('CLIENT_KEY', key) }
}

function resourceOf({ serviceName, resource }: TracesConfig, version: string) {
  const own = { 'service.name': 'wolke', 'service.version': version, 'service.instance.id': randomUUID() }
  const given = parseKeyPairsIntoRecord(resource)
  const named = serviceName === undefined ? {} : { 'service.name': serviceName }
  return defaultResource().merge(resourceFromAttributes({ ...own, ...given, ...named }))
}

function samplerOf({ name, ratio }: Sampling): Sampler {
  const roots: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }
  const root = roots[name.replace('parentbased_', '')]!()
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

const kinds = { incoming: SpanKind.SERVER, outgoing: SpanKind.CLIENT, inner: SpanKind.INTERNAL } as const
const propagator = new W3CTraceContextPropagator()
const headers = { get: (carrier: object, name: string) => Reflect.get(carrier, name), keys: Object.keys }

type LibraryTracer = ReturnType<TracerProvider['getTracer']>

function tracerOf(library: LibraryTracer, running: AsyncLocalStorage<Span | undefined>): Tracer {
  const parentOf = ({ parent }: SpanStart) => {
    if (parent) return propagator.extract(ROOT_CONTEXT, parent, headers)
    const current = running.getStore() as Recorded | undefined
    return current ? trace.setSpan(ROOT_CONTEXT, current.library) : ROOT_CONTEXT
  }
  return {
    begin(start) {
      const { name, kind = 'inner', attributes = {} } = start
      return new Recorded(
        library.startSpan(name, { kind: kinds[kind], attributes: present(attributes) }, parentOf(start)),
      )
    },
    current: () => running.getStore(),
    run: (span, work) => running.run(span, work),
  }
}

/** Attributes without those that are missing. */
function present(attributes: Attributes) {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as LibraryAttributes
}

/** A span of the library. */
class Recorded implements Span {
  readonly library: LibrarySpan

  constructor(library: LibrarySpan) {
    this.library = library
  }

  get traceId(): string {
    return this.library.spanContext().traceId
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.library.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  rename(name: string): void {
    this.library.updateName(name)
  }

  add(attributes: Attributes): void {
    if (this.library.isRecording()) this.library.setAttributes(present(attributes))
  }

  fail(type: string): void {
    this.add({ 'error.type': type })
    this.library.setStatus({ code: SpanStatusCode.ERROR })
  }

  end(): void {
    this.library.end()
  }
}
