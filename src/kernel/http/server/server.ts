/** Node's HTTP server below the edge: with or without TLS, with timeouts and connection limits. */
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../process/clock.ts'
import type { Logger } from '../../process/log.ts'
import { clientNetwork } from '../../process/network.ts'
import { Pauses } from '../../process/running-time.ts'
import type { Limiter, Verdict } from '../admission/rate-limit.ts'
import type { WebSockets } from '../streams/web-sockets.ts'
import { callerAddress, type Trust } from './caller.ts'
import { type ConnectionLimits, Connections, defaultConnectionLimits } from './connections.ts'
import { answerMalformed } from './edge.ts'
import { createSecureServer, createServer } from './node-http.ts'

export interface ServerOptions {
  readonly limits: { readonly networks: Limiter }
  readonly clock: Clock
  readonly log: Logger
  readonly trust: Trust
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly connections?: Partial<ConnectionLimits>
  /** Timeout of a TLS handshake, in milliseconds. */
  readonly handshakeMs?: number
}

/** The receivers of what arrives. */
interface Handlers {
  readonly requests: RequestListener
  readonly sockets: WebSockets
}

/** The time that a connection may be idle while its caller does not read a response, in milliseconds. */
const idleMs = 30_000

/** The time between two looks for requests whose time is over, in milliseconds. */
const checkMs = 1_000

/** An HTTP server with timeouts and with limits on connections and their requests. */
export function serverFor({ requests, sockets }: Handlers, options: ServerOptions): Server {
  const { tls, log, handshakeMs = 5_000 } = options
  const settings = {
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: checkMs,
    // The edge refuses requests without Host; Node's own refusal would be empty.
    requireHostHeader: false,
    // Everybody else is answered as if they had not asked for another protocol.
    shouldUpgradeCallback: (request: IncomingMessage) => sockets.wants(request),
  }
  const server = tls
    ? createSecureServer({ ...settings, ...tls, handshakeTimeout: handshakeMs })
    : createServer(settings)
  // The timeout is for callers that do not read their response; `Connections` decides what happens to them.
  server.setTimeout(idleMs)
  let pauses: Pauses | undefined
  // Only servers that listen look for requests whose time is over.
  server.once('listening', () => {
    const open = new Pauses()
    server.once('close', () => open.close())
    pauses = open
  })
  const malformed = answerMalformed({
    take: (network) => options.limits.networks.take(network) as Verdict,
    now: () => options.clock.now(),
    addressOf: (request) => callerAddress(request, options.trust),
    report: (id, reason) => log.info({ id, reason }, 'malformed request'),
    // Node looks at its clock before it reads what has arrived.
    timeToWaitOn: () => (pauses?.within(server.requestTimeout + checkMs) ? server.requestTimeout : undefined),
  })
  const connections = new Connections(
    { ...defaultConnectionLimits, ...options.connections },
    clientNetwork,
    (socket, reason) => (tls ? socket.destroy() : malformed.turnAway(socket, reason)),
  )
  server.on('clientError', malformed.clientError)
  malformed.attach(server, connections)
  connections.serve(server, requests, { isSecure: tls !== undefined })
  server.on('upgrade', (request, socket: Socket, head) => {
    const connection = connections.of(socket)
    if (!connection) return void socket.destroy()
    connection.onceAdmitted(() => {
      const unread = connection.handOver(head)
      if (unread) void sockets.accept(request, socket, unread, connection)
      else socket.destroy()
    })
  })
  return server
}
