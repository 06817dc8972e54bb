/** Requests that this process sends by HTTP as spans. Those to the operator's hosts carry them on; third parties learn nothing. */
import { channel } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Span, Tracer } from '../kernel/process/tracing.ts'
import { isToHost } from '../protocols/incus/transport.ts'

interface HeardRequest {
  readonly request: ClientRequest
  readonly response?: IncomingMessage
  readonly error?: Error & { readonly code?: string }
}

/** Begins, and leaves out the requests that send spans; returns a function that ends it. */
export function traceOutgoing(tracer: Tracer, isOwn: (request: ClientRequest) => boolean): () => void {
  const spans = new WeakMap<ClientRequest, Span>()
  const begin = ({ request }: HeardRequest) => {
    // The polls of hosts belong to nothing that is traced, and neither does what the collector is sent.
    if (isOwn(request) || (!tracer.current() && isToHost(request))) return
    const { method, host, protocol, path } = request
    const url = `${protocol}//${request.getHeader('host') ?? host}${path.split('?')[0]}`
    const attributes = { 'http.request.method': method, 'url.full': url.slice(0, 1_000) }
    const span = tracer.begin({ name: method, kind: 'outgoing', attributes })
    spans.set(request, span)
    if (isToHost(request)) request.setHeader('traceparent', span.traceparent)
  }
  const finish = ({ request, response }: HeardRequest) => {
    const span = spans.get(request)
    if (!span || !response) return
    const { statusCode = 0 } = response
    span.add({ 'http.response.status_code': statusCode })
    if (statusCode >= 400) span.fail(String(statusCode))
    end(request, span)
  }
  const fail = ({ request, error }: HeardRequest) => {
    const span = spans.get(request)
    if (!span) return
    span.fail(error?.code ?? error?.name ?? 'error')
    end(request, span)
  }
  const end = (request: ClientRequest, span: Span) => {
    spans.delete(request)
    span.end()
  }
  const listeners = [
    ['http.client.request.created', begin],
    ['http.client.response.finish', finish],
    ['http.client.request.error', fail],
  ] as const
  for (const [name, listener] of listeners) channel(name).subscribe(listener as (message: unknown) => void)
  return () => {
    for (const [name, listener] of listeners) channel(name).unsubscribe(listener as (message: unknown) => void)
  }
}
