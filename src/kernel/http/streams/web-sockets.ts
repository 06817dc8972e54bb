/**
 * WebSockets: connections that leave HTTP for a path that expects them. A request is admitted before it is answered, and
 * refused like any other, with the error envelope. Who listens gets a stream of bytes: how the peer cuts them into
 * messages means nothing. A peer that no longer answers pings is gone.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { pathOf, searchOf } from '../../contract/urls.ts'
import { ApiError } from '../../errors.ts'
import type { AtOnce } from '../../process/at-once.ts'
import type { Clock } from '../../process/clock.ts'
import { type Logger, loggedAgent, loggedPath } from '../../process/log.ts'
import { visitor } from '../admission/admission.ts'
import type { Limiter } from '../admission/rate-limit.ts'
import { toRefusal } from '../admission/refusal.ts'
import type { Interceptor } from '../interceptor.ts'
import { callerAddress, type Trust } from '../server/caller.ts'
import type { Clouds } from '../server/clouds.ts'
import type { Connection } from '../server/connections.ts'
import { correlationId, hostRefusal, rawAnswer, standardHeaders } from '../server/edge.ts'
import { logFailure } from '../server/request-log.ts'

/** A path that WebSockets can be opened at. */
export interface SocketPath {
  readonly path: string
  /** Admits a request by its query, and says what is done with its connection. Errors: `ApiError` with the refusal. */
  admit(query: URLSearchParams): Promise<(stream: Duplex) => void>
}

export interface WebSocketOptions {
  readonly limits: { readonly networks: Limiter }
  readonly clock: Clock
  readonly log: Logger
  readonly trust: Trust
  readonly interceptor?: Interceptor
}

const maxMessageBytes = 65_536
const pingMs = 30_000
/** The time that a peer has to answer when the server closes, in milliseconds. */
const closingMs = 1_000
/** "Service Restart" of the registry of RFC 6455: the peer may come back. */
const serviceRestart = 1012

export class WebSockets {
  readonly #options: WebSocketOptions
  readonly #clouds: Pick<Clouds<object>, 'answer'>
  readonly #paths = new Map<string, SocketPath>()
  /** Open ones, with whether the peer answered the last ping. */
  readonly #open = new Map<WebSocket, { isAlive: boolean }>()
  #protocol: Promise<Protocol> | undefined
  #beat: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(options: WebSocketOptions, clouds: Pick<Clouds<object>, 'answer'>) {
    this.#options = options
    this.#clouds = clouds
  }

  listen(path: SocketPath): void {
    this.#paths.set(path.path, path)
  }

  /** Tells whether a request that wants another protocol gets it; otherwise it is answered as if it had not asked. */
  wants({ method, url = '', headers }: IncomingMessage): boolean {
    return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && this.#paths.has(pathOf(url))
  }

  /** Admits or refuses a request whose connection was handed over; `head` are the bytes after its headers. */
  async accept(request: IncomingMessage, socket: Socket, head: Buffer, connection: Connection): Promise<void> {
    socket.on('error', () => socket.destroy())
    const id = correlationId()
    const { verdict, refusal } = visitor({ ip: callerAddress(request, this.#options.trust) }, this.#options)
    const headers = standardHeaders(id, verdict, this.#options.clock.now())
    const injected: Record<string, string> = {}
    try {
      const misaddressed = hostRefusal(request)
      if (misaddressed) throw misaddressed
      const admit = () => this.#admit(request, refusal)
      const serve = await this.#intercepted({ id, request, socket, injected }, admit)
      if (this.#isClosing) throw new ApiError('unavailable', 'the server is stopping')
      if (socket.destroyed) return
      const protocol = await this.#loaded()
      const isSpoken = protocol.open(request, socket, head, injected, (webSocket, stream) => {
        this.#note(id, request, 101)
        this.#keep(webSocket)
        serve(stream)
      })
      if (!isSpoken) throw new ApiError('invalid_input', 'this is no valid WebSocket handshake', { status: 400 })
    } catch (error) {
      const known = toRefusal(error, { isRead: true, mostBytes: 0 })
      logFailure(this.#options.log, id, known, error)
      this.#note(id, request, known.status)
      connection.end(rawAnswer(known, { ...headers, ...injected }))
    }
  }

  /** Says what is done with the connection of a request. Errors: `ApiError` with the refusal. */
  async #admit({ url = '' }: IncomingMessage, refusal: ApiError | undefined): Promise<(stream: Duplex) => void> {
    if (refusal) throw refusal
    const listened = this.#paths.get(pathOf(url))
    const path = listened && this.#clouds.answer(listened.path, listened)
    if (!path) throw new ApiError('not_found', 'there is nothing at this path')
    // A console can be opened once, so that nothing may be missing when it is.
    await this.#loaded()
    return path.admit(new URLSearchParams(searchOf(url)))
  }

  #loaded(): Promise<Protocol> {
    this.#protocol ??= loadProtocol()
    return this.#protocol
  }

  #intercepted<Made>({ id, request, socket, injected }: Upgrade, admit: () => Promise<Made>): AtOnce<Made> {
    const { interceptor } = this.#options
    if (!interceptor) return admit()
    const { method = '', url = '' } = request
    const path = pathOf(url)
    const call = { caller: undefined, scope: undefined, params: {}, body: undefined }
    const header = (name: string, value: string) => {
      injected[name] = value
    }
    return interceptor({ id, method, path, asked: path, isRefused: false, call, response: socket, header }, admit)
  }

  /** Closes all connections; peers that do not answer in time are cut off. */
  close(): void {
    this.#isClosing = true
    clearInterval(this.#beat)
    for (const webSocket of this.#open.keys()) {
      webSocket.close(serviceRestart, 'the server is stopping')
      setTimeout(() => webSocket.terminate(), closingMs).unref()
    }
  }

  #keep(webSocket: WebSocket): void {
    const state = { isAlive: true }
    this.#open.set(webSocket, state)
    webSocket.on('pong', () => {
      state.isAlive = true
    })
    webSocket.on('close', () => {
      this.#open.delete(webSocket)
      if (this.#open.size > 0) return
      clearInterval(this.#beat)
      this.#beat = undefined
    })
    this.#beat ??= setInterval(() => this.#ping(), pingMs)
  }

  #ping(): void {
    for (const [webSocket, state] of this.#open) {
      if (!state.isAlive) webSocket.terminate()
      state.isAlive = false
      webSocket.ping()
    }
  }

  #note(id: string, { method, url = '', headers }: IncomingMessage, status: number): void {
    const agent = loggedAgent(headers['user-agent'])
    this.#options.log.info({ id, method, path: loggedPath(url), status, agent }, 'WebSocket')
  }
}

/** A request that wants to leave HTTP. */
interface Upgrade {
  readonly id: string
  readonly request: IncomingMessage
  readonly socket: Socket
  /** Headers that are put into its answer. */
  readonly injected: Record<string, string>
}

/** The protocol itself. */
interface Protocol {
  /** Completes the handshake and calls `opened`; false, without an answer, when the peer does not know the protocol. */
  open(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    headers: Readonly<Record<string, string>>,
    opened: (webSocket: WebSocket, stream: Duplex) => void,
  ): boolean
}

/** Loads the library, which hardly any process needs. */
async function loadProtocol(): Promise<Protocol> {
  const { WebSocketServer, createWebSocketStream } = await import('ws')
  const server: WebSocketServer = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    // Older viewers ask for this, as the protocol once carried text only.
    handleProtocols: (offered) => (offered.has('binary') ? 'binary' : false),
  })
  let isRefused = false
  let further: Readonly<Record<string, string>> = {}
  server.on('headers', (lines) => {
    lines.push(...Object.entries(further).map(([name, value]) => `${name}: ${value}`))
  })
  server.on('wsClientError', () => {
    isRefused = true
  })
  return {
    open(request, socket, head, headers, opened) {
      isRefused = false
      further = headers
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const stream = createWebSocketStream(webSocket)
        // An error ends the connection; nobody else has to know.
        stream.on('error', () => stream.destroy())
        // Unread data does not keep the stream open.
        webSocket.once('close', () => stream.destroy())
        opened(webSocket, stream)
        socket.resume()
      })
      return !isRefused
    },
  }
}
