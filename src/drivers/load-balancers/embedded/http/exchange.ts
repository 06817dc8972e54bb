/** One request and its answer: chooses a target, forwards both ways as they come, and answers for targets that fail. */
import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { Backend, TargetConnection } from '../targets/backend.ts'
import type { Connected } from '../targets/backends.ts'
import { answerHeaders, type ForwardedHead, trailersOf } from './headers.ts'
import { beginAnswer, breakOff, endAfter, type Refusal, refuse, sendContinue, streamOf } from './messages.ts'

/** What an exchange needs of its service. */
export interface ExchangeService {
  /** Reuses no connections and begins each with a header of the PROXY protocol. */
  readonly proxyHeader: ((client: IncomingMessage) => Buffer) | undefined
  readonly idleMs: number
  choose(cookie: string | undefined): Backend | undefined
  connect(first: Backend | undefined, isWanted: () => boolean): Promise<Connected | undefined>
  /** The header that makes the client come back to the target; undefined when it need not be sent. */
  cookieFor(backend: Backend, cookie: string | undefined): string | undefined
}

/** The protocol that a request asks for, and what happens once the target agrees. */
export interface UpgradeRequest {
  readonly protocol: string
  agreed(answer: IncomingMessage, target: Socket, head: Buffer): void
}

/** Hands a connection over that was chosen before; Node's own pools are not used. */
class HandingAgent extends Agent {
  addRequest(request: ClientRequest, { connection }: { connection: Socket }): void {
    request.onSocket(connection)
  }
}
const agent = new HandingAgent({ keepAlive: true })

const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE'])

export class Exchange {
  readonly #service: ExchangeService
  readonly #request: IncomingMessage
  readonly #answer: ServerResponse
  readonly #head: ForwardedHead
  readonly #upgrade: UpgradeRequest | undefined
  /** Called when the target is no longer waited for. */
  readonly #done: () => void
  #upstream: ClientRequest | undefined
  #isAnswered = false
  #isDone = false

  constructor(parts: {
    service: ExchangeService
    request: IncomingMessage
    answer: ServerResponse
    head: ForwardedHead
    upgrade?: UpgradeRequest | undefined
    done: () => void
  }) {
    this.#service = parts.service
    this.#request = parts.request
    this.#answer = parts.answer
    this.#head = parts.head
    this.#upgrade = parts.upgrade
    this.#done = parts.done
    this.#answer.on('close', () => {
      if (this.#isDone) return
      this.#end()
      this.#upstream?.destroy()
    })
  }

  start(): void {
    if (this.#isDone) return
    const backend = this.#service.choose(this.#head.cookie)
    const connection = this.#isRepeatable ? backend?.takeIdle() : undefined
    if (connection) this.#send(connection)
    else void this.#connect(backend)
  }

  /** Only what can be sent again uses an idle connection, which its target may be about to close. */
  get #isRepeatable(): boolean {
    return !this.#head.hasBody && !this.#upgrade && !this.#service.proxyHeader && repeatable.has(this.#head.method)
  }

  async #connect(first: Backend | undefined): Promise<void> {
    const found = await this.#service.connect(first, () => !this.#isDone)
    if (this.#isDone) return void found?.socket.destroy()
    if (!found) return void this.#fail(503)
    const { proxyHeader } = this.#service
    if (proxyHeader) found.socket.write(proxyHeader(this.#request))
    this.#send(prepare(found, { isKept: !proxyHeader, idleMs: this.#service.idleMs }))
  }

  #send(connection: TargetConnection): void {
    const upstream = this.#open(connection)
    if (!upstream) return
    this.#upstream = upstream
    const { backend } = connection
    backend.load++
    connection.onTimeout = () => this.#timeOut(upstream)
    upstream.maxHeadersCount = 0
    upstream.on('response', (incoming) => this.#relay(incoming, backend))
    if (this.#request.headers.expect) upstream.on('continue', () => sendContinue(this.#answer))
    upstream.on('upgrade', (incoming, socket, head) => this.#switch(incoming, connection, head, socket as Socket))
    upstream.on('error', () => this.#onError(connection))
    upstream.on('close', () => backend.load--)
    if (this.#head.hasBody) this.#sendBody(upstream)
    else upstream.end()
  }

  #open({ socket }: TargetConnection): ClientRequest | undefined {
    const { method, path, headers } = this.#head
    const hop = this.#upgrade ? ['Connection', 'Upgrade', 'Upgrade', this.#upgrade.protocol] : connectionHeader
    const options = { agent, connection: socket, method, path, setHost: false, setDefaultHeaders: false }
    try {
      return sendRequest({ ...options, headers: headers.concat(hop) })
    } catch {
      // HTTP/2 lets characters pass that HTTP/1.1 cannot say.
      socket.destroy()
      this.#fail(400)
      return undefined
    }
  }

  #sendBody(upstream: ClientRequest): void {
    const request = this.#request
    upstream.flushHeaders()
    request.on('data', (chunk: Buffer) => {
      // A target that has answered may not want the rest, which is read all the same.
      if (!upstream.destroyed && !upstream.write(chunk)) request.pause()
    })
    upstream.on('drain', () => request.resume())
    upstream.on('close', () => request.resume())
    request.on('end', () => {
      if (upstream.destroyed) return
      upstream.addTrailers(trailersOf(request))
      upstream.end()
    })
  }

  #relay(incoming: IncomingMessage, backend: Backend): void {
    const answer = this.#answer
    if (incoming.statusCode === 101) {
      // Nobody asked for another protocol.
      this.#fail(502)
      return void incoming.destroy()
    }
    this.#isAnswered = true
    incoming.on('error', () => this.#break())
    if (this.#isDone) return void incoming.destroy()
    try {
      this.#writeHead(incoming, backend)
    } catch {
      // A header that the parser lets pass, but that must not be sent. HTTP/2 remembers it, and cannot begin anew.
      if (streamOf(answer)) this.#break()
      else this.#fail(502)
      return void incoming.destroy()
    }
    incoming.on('data', (chunk: Buffer) => {
      if (!answer.write(chunk)) incoming.pause()
    })
    answer.on('drain', () => incoming.resume())
    incoming.on('end', () => {
      if (incoming.rawTrailers.length > 0) answer.addTrailers(Object.fromEntries(trailersOf(incoming)))
      this.#end()
      answer.end()
      // The target has said all that it has to say, so that nobody needs the rest of the request.
      if (this.#isStillSent) this.#upstream?.destroy()
    })
  }

  get #isStillSent(): boolean {
    return this.#head.hasBody && !this.#request.complete
  }

  #writeHead(incoming: IncomingMessage, backend: Backend): void {
    const answer = this.#answer
    const headers = answerHeaders(incoming)
    const cookie = this.#service.cookieFor(backend, this.#head.cookie)
    if (cookie !== undefined) headers.push('Set-Cookie', cookie)
    // What the client still sends has no reader once this is over.
    if (this.#isStillSent) endAfter(answer)
    beginAnswer(answer, incoming, headers)
    // An answer of unknown length may be a stream whose beginning is waited for.
    if (incoming.headers['content-length'] === undefined) answer.flushHeaders()
  }

  #switch(incoming: IncomingMessage, { backend }: TargetConnection, head: Buffer, target: Socket): void {
    if (!this.#upgrade || this.#isDone) {
      // Nobody asked for it.
      target.destroy()
      this.#fail(502)
      return
    }
    this.#isAnswered = true
    this.#end()
    backend.load++
    target.once('close', () => backend.load--)
    this.#upgrade.agreed(incoming, target, head)
  }

  #onError({ isReused, backend }: TargetConnection): void {
    if (this.#isDone) return
    if (this.#isAnswered) this.#break()
    // The target closed the idle connection just when it was taken.
    else if (isReused) void this.#connect(backend)
    else this.#fail(502)
  }

  #timeOut(upstream: ClientRequest): void {
    if (this.#isAnswered) this.#break()
    else this.#fail(504)
    upstream.destroy()
  }

  /** Answers in place of the target. */
  #fail(status: Refusal): void {
    if (this.#isDone) return
    this.#end()
    refuse(this.#request, this.#answer, status)
  }

  #break(): void {
    if (this.#isDone) return
    this.#end()
    breakOff(this.#answer)
    this.#upstream?.destroy()
  }

  #end(): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#done()
  }
}

const connectionHeader = ['Connection', 'keep-alive']

/** Makes a new connection one that may serve several requests. */
function prepare(
  { backend, socket }: Connected,
  { isKept, idleMs }: { isKept: boolean; idleMs: number },
): TargetConnection {
  const connection: TargetConnection = { socket, backend, isReused: false, onTimeout: undefined }
  socket.setTimeout(idleMs, () => (connection.onTimeout ? connection.onTimeout() : socket.destroy()))
  // Bytes that nobody asked for could pass for the answer to the next request.
  socket.on('data', () => {
    if (!connection.onTimeout) socket.destroy()
  })
  socket.on('end', () => {
    if (!connection.onTimeout) socket.destroy()
  })
  socket.on('error', () => socket.destroy())
  socket.once('close', () => backend.forget(connection))
  socket.on('free', () => (isKept ? backend.release(connection) : socket.destroy()))
  return connection
}
