/** The runtime's HTTP server below the edge: with and without TLS, bounds on time, and turns on each connection. */
import type { RequestListener, Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Clock } from '../process/clock.ts'
import type { Logger } from '../process/log.ts'
import { type ConnectionLimits, Connections, defaultConnectionLimits } from './connections.ts'
import { answerMalformed, clientNetwork } from './edge.ts'
import { createServer } from './node-http.ts'
import type { Limiter, Verdict } from './rate-limit.ts'

export interface ServerOptions {
  readonly limits: { readonly networks: Limiter }
  readonly clock: Clock
  readonly log: Logger
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly connections?: Partial<ConnectionLimits>
  /** How long a TLS handshake may take, in milliseconds. */
  readonly handshakeMs?: number
}

/** How long nothing may move on a connection while its caller does not read an answer, in milliseconds. */
const idleMs = 30_000

/** A server of the runtime with bounds on time, on what a connection may ask for and on connections. */
export function serverFor(handler: RequestListener, options: ServerOptions): Server {
  const { tls, clock, log, limits, handshakeMs = 5_000 } = options
  const settings = {
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: 1_000,
    // A request without Host is refused here like any other, not by an empty answer of the runtime.
    requireHostHeader: false,
  }
  const server = tls
    ? createSecureServer({ ...settings, ...tls, handshakeTimeout: handshakeMs })
    : createServer(settings)
  // For whoever does not read what it is answered; what becomes of it is up to the connections.
  server.setTimeout(idleMs)
  const malformed = answerMalformed({
    take: (network) => limits.networks.take(network) as Verdict,
    now: clock.now,
    report: (id, reason) => log.info({ id, reason }, 'malformed request'),
  })
  const connections = new Connections(
    { ...defaultConnectionLimits, ...options.connections },
    clientNetwork,
    (socket, reason) => (tls ? socket.destroy() : malformed.turnAway(socket, reason)),
  )
  server.on('clientError', malformed.clientError)
  malformed.attach(server, connections)
  connections.serve(server, handler, { isSecure: tls !== undefined })
  return server
}
