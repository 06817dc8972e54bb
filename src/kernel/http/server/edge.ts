/**
 * Responses to input that never becomes a request: malformed HTTP, and headers that are too large or too slow. They
 * carry the same headers and the same error envelope as any other response.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { hasValidHost } from '../../contract/urls.ts'
import { ApiError } from '../../errors.ts'
import { clientNetwork } from '../../process/network.ts'
import type { Verdict } from '../admission/rate-limit.ts'
import { guardHeaders } from './browser-headers.ts'
import type { Connections } from './connections.ts'
import { STATUS_CODES } from './node-http.ts'

const boot = randomBytes(8).toString('hex')
let requests = 0

/** A correlation id of 32 lower-case hex digits: a random part per process and a counter. */
export function correlationId(): string {
  return boot + (++requests).toString(16).padStart(16, '0')
}

/** The headers of every response (spec: Limits); pages say themselves how long they are kept. */
export function standardHeaders(id: string, verdict: Verdict, nowMs: number): Record<string, string> {
  return {
    ...guardHeaders,
    'x-correlation-id': id,
    'ratelimit-limit': String(verdict.limit),
    'ratelimit-remaining': String(verdict.remaining),
    'ratelimit-reset': String(Math.ceil((nowMs + verdict.resetMs) / 1000)),
  }
}

/**
 * Tells whether an answer is the last one on its connection, so that callers reconnect elsewhere: during a shutdown, and where
 * this process cannot do its work, which another one behind the same balancer may.
 */
export const isLast = ({ isClosing }: { readonly isClosing: boolean }, status: number): boolean =>
  isClosing || status === 503

/** The body of an error response. */
export function envelope(error: ApiError): string {
  return JSON.stringify({ error: { code: error.code, message: error.message, details: error.details } })
}

/** The refusal of a request without one valid Host (RFC 9112, 3.2); undefined for all others. */
export function hostRefusal(request: IncomingMessage): ApiError | undefined {
  if (hasValidHost(request)) return undefined
  return new ApiError('invalid_input', 'the request needs one valid Host header', { status: 400 })
}

/** Handles input from which the server cannot make a request. */
export interface MalformedInput {
  clientError(cause: NodeJS.ErrnoException, socket: Socket): void
  /** Closes a connection that has no place, with a reason. */
  turnAway(socket: Socket, reason: string): void
  /** Subscribes to the server's other events of this kind. */
  attach(server: Server, connections: Connections): void
}

/**
 * Answers malformed requests; `take` charges the caller's network, which is that of the peer while there is no request that
 * says more.
 */
export function answerMalformed(options: {
  take(network: string): Verdict
  now(): number
  addressOf(request: IncomingMessage): string
  report(id: string, reason: string): void
  /** The time to wait on for a request that is late because this process did not run meanwhile; undefined when it did. */
  timeToWaitOn(): number | undefined
}): MalformedInput {
  const headersFor = (address: string | undefined, reason: string) => {
    const id = correlationId()
    options.report(id, reason)
    return standardHeaders(id, options.take(clientNetwork(address)), options.now())
  }
  let known: Connections | undefined
  return {
    clientError(cause, socket) {
      const connection = known?.of(socket)
      if (cause.code === 'ECONNRESET' || !connection || !socket.writable) return void socket.destroy()
      const refuse = () =>
        connection.refuse(() =>
          rawAnswer(malformed(cause.code), headersFor(socket.remoteAddress, cause.code ?? cause.message)),
        )
      const ms = cause.code === tooLate ? options.timeToWaitOn() : undefined
      if (ms === undefined) refuse()
      else connection.waitOn(ms, refuse)
    },
    turnAway(socket, reason) {
      const error = new ApiError('rate_limit_exceeded', reason)
      socket.on('error', () => socket.destroy())
      socket.end(rawAnswer(error, headersFor(socket.remoteAddress, reason)), () => socket.destroy())
    },
    attach(server, connections) {
      known = connections
      server.on('connect', (request, socket: Socket) => {
        const error = hostRefusal(request) ?? new ApiError('method_not_allowed', 'CONNECT is not supported')
        const address = options.addressOf(request)
        connections.of(socket)?.refuse(() => rawAnswer(error, { ...headersFor(address, 'CONNECT'), allow: '' }))
      })
      server.on('checkExpectation', (request, response) => {
        const { socket } = request
        connections.of(socket)?.request(request, response, () => {
          const unexpected = new ApiError('invalid_input', 'the Expect header is not supported', { status: 417 })
          const error = hostRefusal(request) ?? unexpected
          const body = envelope(error)
          const headers = headersFor(options.addressOf(request), 'Expect')
          response.writeHead(error.status, { ...headers, ...bodyHeaders(body) }).end(body)
        })
      })
    },
  }
}

const json = 'application/json; charset=utf-8'

/** The code of a request whose time is over. */
const tooLate = 'ERR_HTTP_REQUEST_TIMEOUT'

function malformed(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('invalid_input', 'the request headers are too large', { status: 431 })
  }
  if (code === tooLate) {
    return new ApiError('timeout', 'the request did not arrive in time', { status: 408 })
  }
  return new ApiError('invalid_input', 'the request is not valid HTTP', { status: 400 })
}

/** Headers of a response after which the connection closes. */
function bodyHeaders(body: string): Record<string, string> {
  return { 'content-type': json, 'content-length': String(Buffer.byteLength(body)), connection: 'close' }
}

/** A whole response as text, after which the connection closes. */
export function rawAnswer(error: ApiError, headers: Record<string, string>): string {
  const body = envelope(error)
  const lines = Object.entries({
    ...headers,
    ...bodyHeaders(body),
  }).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
