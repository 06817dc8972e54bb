/**
 * Connections and whose turn it is on them. The requests of a connection are answered one after the other, so that who
 * sends many and reads nothing costs one answer; a network has so many connections, a connection so many requests; and a
 * connection ends so that its last answer arrives (RFC 9112, 9.3.2 and 9.6).
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Line } from '../process/line.ts'

export interface ConnectionLimits {
  /** Connections that a network (see `clientNetwork`) may have at a time. */
  readonly perAddress: number
  /** Requests that a connection may carry; it ends with the answer to the last. */
  readonly requests: number
}

export const defaultConnectionLimits: ConnectionLimits = { perAddress: 500, requests: 1_000 }

/** How many requests may arrive before the first is answered until the bytes of their network are read piece by piece. */
const maxBurst = 16
/** How long the connections of such a network are read so, in milliseconds. */
const suspicionMs = 60_000
/** Bytes of a body that are read at once then: the parser cannot be stopped before it has used every byte it was given. */
const pieceBytes = 2_048

/** After the last answer: how long the other side may be silent, how long it may go on, in ms, and how much it may send. */
const lingerSilenceMs = 1_000
const lingerMs = 10_000
const lingerBytes = 16 * 1024 * 1024

/** What has to be answered in its turn. */
interface Turn {
  /** Undefined for what never became a request. */
  readonly request: IncomingMessage | undefined
  readonly response: ServerResponse | undefined
  readonly begin: () => void
}

/** The connections of one network. */
class Network {
  readonly connections = new Set<Connection>()
  /** Sockets, also those that are no connection yet because TLS comes first. */
  sockets = 0
  #suspectUntil = 0

  get isSuspect(): boolean {
    return performance.now() < this.#suspectUntil
  }

  /** From now on its bytes are read piece by piece. */
  suspect(): void {
    this.#suspectUntil = performance.now() + suspicionMs
    for (const connection of this.connections) connection.readInPieces()
  }
}

/** One connection: what waits on it, and how it is read and ended. */
export class Connection {
  readonly #socket: Socket
  readonly #network: Network
  readonly #line: Line
  readonly #maxRequests: number
  readonly #waiting: Turn[] = []
  #current: Turn | undefined
  #requests = 0
  /** Nothing that arrives is looked at any more. */
  #isLast = false
  #isEnding = false
  /** Set once bytes come in pieces: the runtime's own reader, and what was not given to it yet. */
  #reader: ((bytes: Buffer) => void) | undefined
  #held: Buffer | undefined

  constructor(socket: Socket, network: Network, line: Line, { requests }: ConnectionLimits) {
    this.#socket = socket
    this.#network = network
    this.#line = line
    this.#maxRequests = requests
    // The runtime says so when an answer was the last one of a connection.
    socket.destroySoon = () => this.end()
    if (network.isSuspect) this.readInPieces()
  }

  /** Whether the other side waits for an answer that is still being made. */
  get isOwed(): boolean {
    return this.#current !== undefined && !this.#isEnding && this.#socket.writableLength === 0
  }

  /** A request arrived; `begin` is called when all that came before it is answered. */
  request(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    if (this.#isLast) return
    if (++this.#requests >= this.#maxRequests) {
      this.#isLast = true
      response.shouldKeepAlive = false
    }
    response.on('close', this.#next)
    this.#await({ request, response, begin })
  }

  /** What arrived is no request: says so in its turn, and that is the end. `text` makes the answer, byte for byte. */
  refuse(text: () => string): void {
    if (this.#isEnding) return
    this.#isLast = true
    const spoilt = this.#newest
    if (spoilt?.request && !spoilt.request.complete) {
      // It is the rest of a request that is wrong, so that this is the answer to it.
      if (this.#waiting.length > 0) this.#waiting.pop()
      else {
        if (spoilt.response?.headersSent) this.#socket.destroy()
        else this.end(text())
        return
      }
    }
    this.#await({ request: undefined, response: undefined, begin: () => this.end(text()) })
  }

  /**
   * Says the last word, if there is one, and closes when the other side does. What it still sends is read and thrown
   * away for a while: closing over unread bytes makes the kernel drop the answer on its way.
   */
  end(text?: string): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#isLast = true
    this.#waiting.length = 0
    this.#held = undefined
    const socket = this.#socket
    if (text === undefined) socket.end()
    else socket.end(text)
    const isDone = socket.bytesRead + lingerBytes
    socket.removeAllListeners('data').on('error', () => socket.destroy())
    socket.on('data', () => socket.bytesRead > isDone && socket.destroy())
    socket.setTimeout(lingerSilenceMs, () => socket.destroy())
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
    this.#current?.request?.resume()
    socket.resume()
  }

  /** From now on the runtime's parser gets one request at a time, and the next when that is answered. */
  readInPieces(): void {
    if (this.#reader || this.#isEnding) return
    const socket = this.#socket
    const [reader, ...others] = socket.listeners('data') as ((bytes: Buffer) => void)[]
    // A runtime that reads otherwise must not be fed twice.
    if (!reader || others.length > 0) return void socket.destroy()
    this.#reader = reader
    socket.off('data', reader)
    socket.on('data', (bytes: Buffer) => {
      this.#held = this.#held ? Buffer.concat([this.#held, bytes]) : bytes
      this.#read()
    })
    socket.on('drain', () => this.#read())
  }

  #await(turn: Turn): void {
    if (this.#current || this.#waiting.length > 0) {
      this.#waiting.push(turn)
      if (this.#waiting.length === 1) this.#socket.pause()
      if (this.#waiting.length === maxBurst) process.nextTick(() => this.#network.suspect())
    } else {
      this.#current = turn
      turn.begin()
    }
  }

  /** The answer under way is finished. */
  readonly #next = (): void => {
    this.#current = undefined
    if (this.#waiting.length > 0) this.#line.join(this.#begin)
    else if (this.#held) this.#line.join(this.#read)
  }

  readonly #begin = (): void => {
    this.#current = this.#waiting.shift()
    this.#current?.begin()
    if (this.#waiting.length === 0 && !this.#isEnding) this.#read()
  }

  /** Hands the parser what it may have now, and stops the socket while there is more. */
  readonly #read = (): void => {
    const socket = this.#socket
    while (this.#held && this.#mayRead()) {
      const bytes = this.#held
      const end = endOfPiece(bytes, this.#newest !== undefined)
      this.#held = end < bytes.length ? bytes.subarray(end) : undefined
      this.#reader?.(bytes.subarray(0, end))
    }
    if (this.#held) socket.pause()
    else if (this.#waiting.length === 0 && !socket.destroyed) socket.resume()
  }

  #mayRead(): boolean {
    const { destroyed, writableNeedDrain } = this.#socket
    if (destroyed || writableNeedDrain || this.#isEnding) return false
    // The body of a request is read for as long as it is the last that arrived.
    return this.#newest === undefined || this.#newest.request?.complete === false
  }

  /** What arrived last and is not answered. */
  get #newest(): Turn | undefined {
    return this.#waiting.at(-1) ?? this.#current
  }
}

/** Where a piece ends: behind the headers of the first request, or somewhere in the body of one. */
function endOfPiece(bytes: Buffer, isBody: boolean): number {
  if (isBody) return Math.min(bytes.length, pieceBytes)
  const end = bytes.indexOf('\r\n\r\n')
  return end === -1 ? bytes.length : end + 4
}

/** All connections of a server. */
export class Connections {
  /** What was sent ahead of its time begins when all others had theirs. */
  readonly #line = new Line()
  readonly #limits: ConnectionLimits
  readonly #networkOf: (address: string | undefined) => string
  readonly #refuse: (socket: Socket, text: string) => void
  readonly #networks = new Map<string, Network>()
  readonly #connections = new WeakMap<Socket, Connection>()

  /** `refuse` ends a socket that is one too many, and says why. */
  constructor(
    limits: ConnectionLimits,
    networkOf: (address: string | undefined) => string,
    refuse: (socket: Socket, text: string) => void,
  ) {
    this.#limits = limits
    this.#networkOf = networkOf
    this.#refuse = refuse
  }

  /** The connection on a socket; undefined before its handshake is done and when it was one too many. */
  of(socket: Socket): Connection | undefined {
    return this.#connections.get(socket)
  }

  /** Has `handler` answer the requests of a server, which are told of here as soon as they arrive. */
  serve(server: Server, handler: RequestListener, options: { readonly isSecure: boolean }): void {
    server.on('connection', (socket: Socket) => this.#count(socket, options))
    if (options.isSecure) server.on('secureConnection', (socket: Socket) => this.#open(socket))
    server.on('timeout', (socket: Socket) => {
      // An answer may take long where many wait for the same thing; what nobody reads, or asks for, may not.
      if (!this.of(socket)?.isOwed) socket.destroy()
    })
    server.on('request', (request, response) => {
      this.of(request.socket)?.request(request, response, () => handler(request, response))
    })
    server.on('checkContinue', (request, response) => {
      this.of(request.socket)?.request(request, response, () => {
        response.writeContinue()
        handler(request, response)
      })
    })
  }

  #count(socket: Socket, { isSecure }: { readonly isSecure: boolean }): void {
    const key = this.#networkOf(socket.remoteAddress)
    const network = this.#networks.get(key) ?? new Network()
    const { perAddress } = this.#limits
    if (network.sockets >= perAddress) {
      this.#refuse(socket, `an address may have ${perAddress} connections at a time`)
      return
    }
    this.#networks.set(key, network)
    network.sockets++
    socket.once('close', () => {
      network.sockets--
      this.#forget(key, network)
    })
    if (!isSecure) this.#open(socket)
  }

  /** A network without connections is forgotten, a suspect one when it is none any more. */
  #forget(key: string, network: Network): void {
    if (network.sockets > 0) return
    if (network.isSuspect) setTimeout(() => this.#forget(key, network), suspicionMs).unref()
    else if (this.#networks.get(key) === network) this.#networks.delete(key)
  }

  #open(socket: Socket): void {
    const network = this.#networks.get(this.#networkOf(socket.remoteAddress))
    if (!network) return void socket.destroy()
    const connection = new Connection(socket, network, this.#line, this.#limits)
    network.connections.add(connection)
    this.#connections.set(socket, connection)
    socket.once('close', () => network.connections.delete(connection))
  }
}
