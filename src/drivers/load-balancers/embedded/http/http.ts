/** Services that speak HTTP or HTTPS to clients, and HTTP to targets. */
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { BalancerHttp, BalancerService } from '../../../../families/load-balancers/driver.ts'
import type { Frontend } from '../frontend.ts'
import type { Meter } from '../meter.ts'
import { headerOf } from '../proxy-protocol.ts'
import type { AnswerHead } from '../targets/answer-parser.ts'
import type { Backend } from '../targets/backend.ts'
import type { Backends, Connected } from '../targets/backends.ts'
import type { Owner } from '../targets/target-connection.ts'
import { joinSockets } from '../tunnel.ts'
import { Turns } from '../turns.ts'
import { type Agreed, Exchange, type ExchangeService } from './exchange.ts'
import { type Forwarding, forwardedHead } from './headers.ts'
import { HttpServer } from './http-server.ts'
import { endAfter, refuse, streamOf } from './messages.ts'
import { Certificates } from './tls.ts'

export class HttpFrontend implements Frontend, ExchangeService {
  readonly #server: HttpServer
  readonly #backends: Backends
  readonly #meter: Meter
  readonly #turns = new Turns()
  #http: BalancerHttp
  #forwarding: Forwarding
  #usesProxyProtocol = false
  #isDraining = false

  /** Errors: those of certificates. */
  constructor(backends: Backends, service: BalancerService, meter: Meter) {
    this.#backends = backends
    this.#meter = meter
    this.#http = service.http!
    this.#forwarding = forwardingOf(service)
    const isSecure = service.protocol === 'https'
    this.#server = new HttpServer(
      {
        request: (request, answer) => this.#handle(request, answer),
        upgrade: (request, socket, head) => this.#handleUpgrade(request, socket, head),
      },
      isSecure ? new Certificates(service.http!.certificates) : undefined,
    )
    this.#server.setUpgrades(isUpgrade)
    this.#use(service)
  }

  prepare(service: BalancerService): () => void {
    const { certificates } = service.http!
    const isSame = JSON.stringify(certificates) === JSON.stringify(this.#http.certificates)
    const made = service.protocol === 'https' && !isSame ? new Certificates(certificates) : undefined
    return () => {
      if (made) this.#server.setCertificates(made)
      this.#use(service)
    }
  }

  #use(service: BalancerService): void {
    this.#http = service.http!
    this.#forwarding = forwardingOf(service)
    this.#usesProxyProtocol = service.usesProxyProtocol
    this.#server.setIdleTime(this.idleMs)
  }

  accept(socket: Socket): void {
    this.#server.accept(socket)
  }

  drain(): void {
    this.#isDraining = true
    this.#server.drain()
  }

  #handle(request: IncomingMessage, answer: ServerResponse, agreed?: Agreed): void {
    this.#meter.addRequest()
    answer.sendDate = false
    if (this.#isDraining) endAfter(answer)
    const head = forwardedHead(request, this.#forwarding, agreed && request.headers.upgrade)
    if (!head) return void refuse(request, answer, 400)
    const done = this.#server.wait(request)
    const exchange = new Exchange({ service: this, request, answer, head, agreed, done })
    if (streamOf(request)) exchange.start()
    else this.#turns.take(request.socket, answer, () => exchange.start())
  }

  #handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    // From here on the connection has no server that answers for it.
    socket.on('error', () => socket.destroy())
    // Who asks for another protocol has to wait for earlier answers.
    if (this.#turns.areTaken(socket)) return void socket.destroy()
    const answer = new ServerResponse(request)
    answer.assignSocket(socket)
    answer.shouldKeepAlive = false
    answer.on('finish', () => socket.destroySoon())
    this.#handle(request, answer, (agreement, target, rest) => {
      answer.detachSocket(socket)
      socket.write(rawHead(agreement), 'latin1')
      socket.write(rest)
      target.write(head)
      joinSockets(socket, target, this.idleMs)
    })
  }

  // ---- What exchanges need ------------------------------------------------------------------------------------------

  get idleMs(): number {
    return this.#http.idleTimeout * 1_000
  }

  get proxyHeader(): ((client: IncomingMessage) => Buffer) | undefined {
    return this.#usesProxyProtocol ? (client) => headerOf(client.socket) : undefined
  }

  choose(cookie: string | undefined): Backend | undefined {
    return (cookie === undefined ? undefined : this.#backends.byCookie(cookie)) ?? this.#backends.choose()
  }

  connect(first: Backend | undefined, isWanted: () => boolean): Promise<Connected | undefined> {
    return this.#backends.connect(first, isWanted)
  }

  cookieFor(owner: Owner, cookie: string | undefined): string | undefined {
    const { isSticky, cookieName, cookieLifetime } = this.#http
    if (!isSticky || owner.cookie === cookie) return undefined
    return `${cookieName}=${owner.cookie}; Path=/; HttpOnly; Max-Age=${cookieLifetime}`
  }
}

function forwardingOf({ protocol, listenPort, http }: BalancerService): Forwarding {
  return {
    proto: protocol === 'https' ? 'https' : 'http',
    port: listenPort,
    cookieName: http?.isSticky ? http.cookieName : undefined,
  }
}

/** HTTP/2 without TLS is not offered, and a body before an upgrade would be bytes that two ends may read in two ways. */
function isUpgrade({ headers }: IncomingMessage): boolean {
  const hasBody = 'transfer-encoding' in headers || (headers['content-length'] ?? '0') !== '0'
  return !hasBody && headers.upgrade !== undefined && !/\bh2c\b/i.test(headers.upgrade)
}

/** The head of an answer as it came. */
function rawHead({ status, message, rawHeaders }: AnswerHead): string {
  const lines = [`HTTP/1.1 ${status} ${message}`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
