/** Requests as spans: what they come with, and what they are answered. */
import type { IncomingMessage, RequestListener } from 'node:http'
import { loggedAgent, loggedPath } from '../../process/log.ts'
import type { Attributes, Span, Tracer } from '../../process/tracing.ts'

/** The spans of requests under way. The framework hears of a body outside of the context of its request. */
const spans = new WeakMap<IncomingMessage, Span>()

/** Begins the span of each request, below that of its caller if it names one, and tells in its answer which it is. */
export function tracedRequests(tracer: Tracer, requests: RequestListener): RequestListener {
  return (request, response) => {
    const { method = 'GET', headers, url = '/' } = request
    const traceparent = headers.traceparent as string | undefined
    const tracestate = headers.tracestate as string | undefined
    const span = tracer.begin({
      name: method,
      kind: 'incoming',
      parent: { traceparent, tracestate },
      attributes: {
        'http.request.method': method,
        'url.path': loggedPath(url).slice(0, 1_000),
        'user_agent.original': loggedAgent(headers['user-agent'])?.slice(0, 200),
      },
    })
    spans.set(request, span)
    response.setHeader('traceparent', span.traceparent)
    response.once('close', () => {
      // A caller that leaves before the answer is there is told none.
      if (response.headersSent) span.add({ 'http.response.status_code': response.statusCode })
      else span.fail('client_gone')
      if (response.headersSent && response.statusCode >= 500) span.fail(String(response.statusCode))
      span.end()
    })
    tracer.run(span, () => requests(request, response))
  }
}

/** Carries requests out in their spans. */
export function resumed<Request extends { readonly raw: IncomingMessage }, Reply, Sent>(
  tracer: Tracer,
  carryOut: (request: Request, reply: Reply) => Sent,
): (request: Request, reply: Reply) => Sent {
  return (request, reply) => tracer.run(spans.get(request.raw), () => carryOut(request, reply))
}

/** Says of the span of a request what is known once it is answered; returns the id of its trace. */
export function noteAnswer(request: IncomingMessage, url: string | undefined, attributes: Attributes) {
  const span = spans.get(request)
  const route = url?.replace(/:(\w+)/g, '{$1}')
  if (route !== undefined) span?.rename(`${request.method} ${route}`)
  span?.add({ 'http.route': route, ...attributes })
  return span?.traceId
}
