/** Servers of HTTP/1.1, and of HTTP/2 with TLS, for connections that were accepted elsewhere. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2SecureServer, type Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { keepCalm } from './calm.ts'
import { streamOf } from './messages.ts'
import type { Certificates } from './tls.ts'

/** What is done with requests. */
export interface Handler {
  request(request: IncomingMessage, answer: ServerResponse): void
  /** Missing where no protocol but HTTP is spoken. */
  upgrade?(request: IncomingMessage, socket: Socket, head: Buffer): void
}

/** How long a client may take for the header of a request, and for a TLS handshake, in milliseconds. */
const headerMs = 10_000
/** How often it is looked for clients that take longer. */
const lookingMs = 1_000
/** How many requests of one HTTP/2 connection run at once. */
const mostStreams = 100

const serverOptions = {
  connectionsCheckingInterval: lookingMs,
  headersTimeout: headerMs,
  // Bodies may take as long as they need, as long as they move.
  requestTimeout: 0,
  keepAliveTimeoutBuffer: 0,
}

export class HttpServer {
  readonly #server: Server | Http2SecureServer
  /** How many requests of a connection wait for their target, which has a timer of its own. */
  readonly #waiting = new WeakMap<object, number>()
  #certificates: Certificates | undefined

  /** With certificates it speaks TLS. */
  constructor(handler: Handler, certificates?: Certificates) {
    this.#server = certificates ? this.#createSecure(certificates) : createServer(serverOptions)
    const server = this.#server as Server
    server.maxHeadersCount = 0
    const handle = (request: IncomingMessage, answer: ServerResponse) => handler.request(request, answer)
    server.on('request', handle)
    server.on('checkContinue', handle)
    server.on('upgrade', (request, socket: Duplex, head) => handler.upgrade?.(request, socket as Socket, head))
    server.on('timeout', (connection: Socket | Http2Session) => {
      if (!this.#waiting.get(connection)) connection.destroy()
    })
    // A server that does not listen itself begins to watch its connections with this.
    server.emit('listening')
  }

  #createSecure(certificates: Certificates): Http2SecureServer {
    const server = createSecureServer({
      ...serverOptions,
      allowHTTP1: true,
      handshakeTimeout: headerMs,
      settings: { maxConcurrentStreams: mostStreams },
      SNICallback: (name, done) => done(null, this.#certificates?.contextFor(name)),
    })
    server.on('session', keepCalm)
    this.#useCertificates(server, certificates)
    // It has these of HTTP/1.1 only as properties.
    return Object.assign(server, serverOptions)
  }

  /** Replaces the certificates; connections stay. */
  setCertificates(certificates: Certificates): void {
    this.#useCertificates(this.#server as Http2SecureServer, certificates)
  }

  #useCertificates(server: Http2SecureServer, certificates: Certificates): void {
    this.#certificates = certificates
    const { first } = certificates
    // Clients that name no server get the first one.
    if (first) server.setSecureContext({ cert: first.chain, key: first.privateKey })
  }

  /** How long connections may be idle. */
  setIdleTime(ms: number): void {
    const server = this.#server as Server
    server.timeout = ms
    server.keepAliveTimeout = ms
  }

  /** Which requests are upgraded; all others stay HTTP. */
  setUpgrades(shouldUpgrade: (request: IncomingMessage) => boolean): void {
    Object.assign(this.#server, { shouldUpgradeCallback: shouldUpgrade })
  }

  accept(socket: Socket): void {
    // A client that ends its side during a TLS handshake has left.
    if (this.#certificates) socket.allowHalfOpen = false
    this.#server.emit('connection', socket)
  }

  /** Takes note that a request waits for its target; returns what ends that. */
  wait(request: IncomingMessage): () => void {
    const connection = streamOf(request)?.session ?? request.socket
    this.#waiting.set(connection, (this.#waiting.get(connection) ?? 0) + 1)
    return () => void this.#waiting.set(connection, this.#waiting.get(connection)! - 1)
  }

  /** Ends idle connections, and tells those of HTTP/2 to end. */
  drain(): void {
    this.#server.close()
  }
}
