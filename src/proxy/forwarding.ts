/** Requests of HTTP/1.1 and HTTP/2 as requests to a server that speaks HTTP/1.1, and its answers on their way back. */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import type { ErrorCode } from '../kernel/errors.ts'

/** An origin: `http:` or `https:`, host and port. */
export type Target = URL

type Request = IncomingMessage | Http2ServerRequest
type Response = ServerResponse | Http2ServerResponse

/** Fields that concern one connection only (RFC 9110, 7.6.1), and the expectation that is fulfilled here. */
const ofConnection = 'connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect'.split(' ')

/**
 * Sends a request on and its answer back. A server that does not answer becomes a 502 in the form of the API's errors;
 * an answer that breaks off breaks off for the client as well, and so does a request for the server.
 */
export function forward(target: Target, request: Request, response: Response): void {
  const onward = begin(target, request)
  onward.on('response', (answered) => {
    answer(response, answered.statusCode!, endToEnd(answered.headers))
    answered.on('error', (error) => response.destroy(error))
    // The rest of a body that the server did not want is read and forgotten, as it would hold up the client.
    answered.on('end', () => request.unpipe(onward).resume())
    answered.pipe(response)
  })
  onward.on('error', (error: NodeJS.ErrnoException) => {
    const reason = `${target.origin} does not answer wolke proxy: ${error.code ?? error.message}`
    if (response.headersSent) response.destroy(error)
    else sayUnavailable(response, reason)
  })
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}

function begin(target: Target, request: Request): ClientRequest {
  const { method, url: path } = request
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  // The name of the server would otherwise be read from the field `host`, which is that of the public API.
  const servername = isIP(target.hostname.replaceAll(/[[\]]/g, '')) ? '' : target.hostname
  return send(target, { method, path, headers: fieldsOf(request), agent: false, servername })
}

/** Returns the fields of a request to send on; the framing of its body stays what it was. */
function fieldsOf(request: Request): IncomingHttpHeaders {
  const { headers } = request
  // A server that closes the connection after its answer could lose it while it is still being sent a body.
  const fields: IncomingHttpHeaders = { ...endToEnd(headers), connection: 'keep-alive' }
  const host = headers[':authority'] as string | undefined
  if (host !== undefined) fields.host = host
  // Node.js sends no length and no chunks by itself with methods that seldom have a body.
  if (fields['content-length'] === undefined && hasBody(request)) fields['transfer-encoding'] = 'chunked'
  return fields
}

function hasBody(request: Request): boolean {
  if ('stream' in request) return !request.stream.endAfterHeaders
  return (request.headers['transfer-encoding'] ?? request.headers['content-length']) !== undefined
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(/[\s,]+/)
  const dropped = new Set([...ofConnection, ...named])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':') && !dropped.has(name)))
}

function sayUnavailable(response: Response, message: string): void {
  const code: ErrorCode = 'unavailable'
  const body = JSON.stringify({ error: { code, message, details: null } })
  answer(response, 502, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) })
  response.end(body)
}

function answer(response: Response, status: number, fields: IncomingHttpHeaders): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) response.setHeader(name, value)
}
