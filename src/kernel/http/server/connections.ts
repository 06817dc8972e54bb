/**
 * Limits on connections. Requests on one connection are answered one after another, so that a client that sends many
 * and reads nothing costs one response. A network may have only so many connections (network.ts), and a connection only so
 * many requests. A connection is closed in a way that its last response arrives (RFC 9112, 9.3.2 and 9.6).
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Line } from '../../process/line.ts'
import { type Doing, type Member, type Network, Networks, type Place } from '../../process/network.ts'
import { afterRunning } from '../../process/running-time.ts'

export interface ConnectionLimits {
  /** Maximum number of open connections per network (see `clientNetwork`). */
  readonly perAddress: number
  /** Maximum number of requests per connection; the connection closes after the last response. */
  readonly requests: number
  /** Time since its last answer in which a connection may still send a request once the server closes, in ms. */
  readonly closingMs: number
}

export const defaultConnectionLimits: ConnectionLimits = { perAddress: 500, requests: 1_000, closingMs: 0 }

/** Number of pipelined requests after which a network's bytes are read in pieces. */
const maxBurst = 16
/** Bytes of a body read per piece: the parser cannot be stopped before it has consumed everything it was given. */
const pieceBytes = 2_048

/**
 * Limits after the last response: how long the peer may be silent and how long it may keep sending, in ms, and how much
 * it may send.
 */
const lingerSilenceMs = 1_000
const lingerMs = 10_000
const lingerBytes = 16 * 1024 * 1024

/** A response that waits for its turn on a connection. */
interface Turn {
  /** Undefined for input that never became a request. */
  readonly request: IncomingMessage | undefined
  readonly response: ServerResponse | undefined
  readonly begin: () => void
}

/** One connection: its pending responses, and how it is read and closed. */
export class Connection implements Member {
  readonly #socket: Socket
  readonly #network: Network
  readonly #line: Line
  readonly #limits: ConnectionLimits
  readonly #waiting: Turn[] = []
  #current: Turn | undefined
  #requests = 0
  /** Set while it waits for a place, with what is done once it has one. */
  #onAdmitted: (() => void)[] | undefined
  /** The start of its present state (`doing`). */
  #since: number
  /** The bytes that had arrived when it became idle; -1 while it is not. */
  #bytesBefore = -1
  /** Set when no further input is processed. */
  #isLast = false
  #isEnding = false
  #isHandedOver = false
  /** Set once the server closes: how long the peer has to send the rest of its request and to read. */
  #restMs: number | undefined
  /** Set while bytes are read in pieces: Node's own reader, and the bytes that it has not been given yet. */
  #reader: ((bytes: Buffer) => void) | undefined
  #held: Buffer | undefined

  constructor({ since, isWaiting }: Place, socket: Socket, network: Network, line: Line, limits: ConnectionLimits) {
    this.#since = since
    this.#onAdmitted = isWaiting ? [] : undefined
    this.#socket = socket
    this.#network = network
    this.#line = line
    this.#limits = limits
    // Node calls this after the last response on a connection.
    socket.destroySoon = () => this.end()
    if (network.isSuspect) this.readInPieces()
  }

  /** True while the peer waits for a response that is still being made. */
  get isOwed(): boolean {
    return this.#current !== undefined && !this.#isEnding && this.#socket.writableLength === 0
  }

  get doing(): Doing {
    if (this.#isEnding) return { is: 'idle', since: this.#since }
    const { request } = this.#current ?? {}
    const isHere = this.#current ? request?.complete !== false : this.#waiting.length > 0 || this.#held !== undefined
    if (isHere || this.#isHandedOver) return { is: 'served' }
    return { is: this.#current || this.#isAsking() ? 'asking' : 'idle', since: this.#since }
  }

  /** Tells whether a part of the next request has arrived; takes note of when that is seen first. */
  #isAsking(): boolean {
    if (this.#bytesBefore !== -1 && this.#socket.bytesRead > this.#bytesBefore) this.#becomeAsking()
    return this.#bytesBefore === -1
  }

  #becomeAsking(): void {
    if (this.#bytesBefore !== -1) this.#since = performance.now()
    this.#bytesBefore = -1
  }

  leave(refuse: () => void): void {
    const isAsking = this.#bytesBefore === -1 && !this.#isEnding
    this.#isLast = true
    this.#waiting.length = 0
    this.#held = undefined
    // An idle one goes without a word, which its next request would take for an answer.
    if (isAsking && this.#current?.response?.headersSent !== true) refuse()
    else this.#socket.destroy()
  }

  admit(): void {
    const then = this.#onAdmitted ?? []
    this.#onAdmitted = undefined
    if (this.#waiting.length > 0) this.#line.join(this.#begin)
    for (const one of then) one()
  }

  /** Does something as soon as it has a place. */
  onceAdmitted(then: () => void): void {
    if (this.#onAdmitted) this.#onAdmitted.push(then)
    else then()
  }

  /** Registers a request; `begin` is called when all earlier ones are answered. */
  request(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    if (this.#isLast) return
    this.#becomeAsking()
    if (++this.#requests >= this.#limits.requests) {
      this.#isLast = true
      response.shouldKeepAlive = false
    }
    response.on('close', this.#next)
    this.#await({ request, response, begin })
  }

  /** Gives the request that is late as long again, in which this process runs, and then calls `refuse` unless it is here. */
  waitOn(ms: number, refuse: () => void): void {
    const isHere = this.#newest?.request?.complete === false
    const awaited = this.#requests + (isHere ? 0 : 1)
    const stop = afterRunning(ms, () => {
      if (!this.#hasArrived(awaited)) refuse()
    })
    this.#socket.once('close', stop)
  }

  /** Tells whether the request of this number has arrived as a whole. */
  #hasArrived(number: number): boolean {
    if (this.#isHandedOver || this.#requests > number) return true
    return this.#requests === number && this.#newest?.request?.complete !== false
  }

  /** Answers malformed input in its turn and closes the connection. `text` returns the raw response. */
  refuse(text: () => string): void {
    if (this.#isEnding) return
    this.#isLast = true
    const spoilt = this.#newest
    if (spoilt?.request && !spoilt.request.complete) {
      // The malformed bytes belong to the body of an incomplete request, so this is its response.
      if (this.#waiting.length > 0) this.#waiting.pop()
      else {
        if (spoilt.response?.headersSent) this.#socket.destroy()
        else this.end(text())
        return
      }
    }
    this.#await({ request: undefined, response: undefined, begin: () => this.end(text()) })
  }

  /** Closes the connection unless it owes an answer; the peer has `ms` to send the rest of its request and to read. */
  close(ms: number): void {
    if (this.#isEnding || this.#isHandedOver) return
    this.#restMs = ms
    const owed = this.#newest
    if (!owed) return void this.#closeIdle(ms)
    this.#after(ms, () => {
      if (owed.request?.complete === false || !this.isOwed) this.#socket.destroy()
    })
  }

  /** Closes the connection unless a request is on its way, which a peer that is busy or has just connected may have sent. */
  #closeIdle(ms: number): void {
    const idleMs = performance.now() - this.#since
    if (idleMs >= this.#limits.closingMs) this.#socket.destroy()
    else this.#after(this.#limits.closingMs - idleMs, () => this.close(ms))
  }

  #after(ms: number, then: () => void): void {
    const timer = setTimeout(then, ms)
    this.#socket.once('close', () => clearTimeout(timer))
  }

  /**
   * Sends the last response, if any, and closes when the peer does. Further input is read and discarded for a while:
   * closing a socket with unread bytes makes the kernel drop the response.
   */
  end(text?: string): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#isLast = true
    this.#since = performance.now()
    this.#waiting.length = 0
    this.#held = undefined
    const socket = this.#socket
    if (text === undefined) socket.end()
    else socket.end(text)
    const isDone = socket.bytesRead + lingerBytes
    socket.removeAllListeners('data').on('error', () => socket.destroy())
    socket.on('data', () => socket.bytesRead > isDone && socket.destroy())
    socket.setTimeout(lingerSilenceMs, () => socket.destroy())
    this.#after(lingerMs, () => socket.destroy())
    this.#current?.request?.resume()
    socket.resume()
  }

  /**
   * Gives the socket up, paused, to another protocol that its last request has asked for. Returns the bytes that follow
   * the request, of which Node has already read `head`; undefined when earlier requests still wait for their answers.
   */
  handOver(head: Buffer): Buffer | undefined {
    if (this.#isLast || this.#current || this.#waiting.length > 0) return undefined
    this.#isLast = true
    this.#isHandedOver = true
    this.#socket.pause()
    const unread = this.#held ? Buffer.concat([head, this.#held]) : head
    this.#held = undefined
    if (this.#reader) this.#socket.removeAllListeners('data').removeAllListeners('drain')
    return unread
  }

  /** Starts passing one request at a time to Node's parser, the next one when it is answered. */
  readInPieces(): void {
    if (this.#reader || this.#isEnding) return
    const socket = this.#socket
    const [reader, ...others] = socket.listeners('data') as ((bytes: Buffer) => void)[]
    // If Node ever reads sockets in another way, its parser must not get the bytes twice.
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
    if (this.#onAdmitted || this.#current || this.#waiting.length > 0) {
      this.#waiting.push(turn)
      if (this.#waiting.length === 1) this.#socket.pause()
      if (this.#waiting.length === maxBurst) process.nextTick(() => this.#network.suspect())
    } else {
      this.#current = turn
      turn.begin()
    }
  }

  /** Called when the current response is finished. */
  readonly #next = (): void => {
    this.#current = undefined
    this.#since = performance.now()
    if (this.#waiting.length > 0) this.#line.join(this.#begin)
    else if (this.#held) this.#line.join(this.#read)
    // The answer may have begun before it could say that it is the last one.
    else if (this.#restMs !== undefined && !this.#socket.destroyed) this.#endOrWait(this.#restMs)
    else this.#bytesBefore = this.#socket.bytesRead
  }

  #endOrWait(ms: number): void {
    if (this.#limits.closingMs > 0) this.#closeIdle(ms)
    else this.end()
  }

  readonly #begin = (): void => {
    this.#current = this.#waiting.shift()
    this.#current?.begin()
    if (this.#waiting.length === 0 && !this.#isEnding) this.#read()
  }

  /** Passes the parser what it may read now, and pauses the socket while bytes remain. */
  readonly #read = (): void => {
    const socket = this.#socket
    while (this.#held && this.#mayRead()) {
      const bytes = this.#held
      const end = endOfPiece(bytes, this.#newest !== undefined)
      this.#held = end < bytes.length ? bytes.subarray(end) : undefined
      this.#reader?.(bytes.subarray(0, end))
    }
    if (this.#isHandedOver) return
    if (this.#held) socket.pause()
    else if (this.#waiting.length === 0 && !socket.destroyed) socket.resume()
  }

  #mayRead(): boolean {
    const { destroyed, writableNeedDrain } = this.#socket
    if (destroyed || writableNeedDrain || this.#isEnding) return false
    // The body of a request is read as long as it is the last one that arrived.
    return this.#newest === undefined || this.#newest.request?.complete === false
  }

  /** The last turn that is not answered yet. */
  get #newest(): Turn | undefined {
    return this.#waiting.at(-1) ?? this.#current
  }
}

/** The end of a piece: after the headers of the first request, or somewhere within a body. */
function endOfPiece(bytes: Buffer, isBody: boolean): number {
  if (isBody) return Math.min(bytes.length, pieceBytes)
  const end = bytes.indexOf('\r\n\r\n')
  return end === -1 ? bytes.length : end + 4
}

/** All connections of a server. */
export class Connections {
  /** Pipelined requests begin when all other connections had their turn. */
  readonly #line = new Line()
  readonly #limits: ConnectionLimits
  readonly #networkOf: (address: string | undefined) => string
  readonly #refuse: (socket: Socket, text: string) => void
  readonly #networks: Networks
  readonly #connections = new WeakMap<Socket, Connection>()

  /** `refuse` closes a surplus socket with a reason. */
  constructor(
    limits: ConnectionLimits,
    networkOf: (address: string | undefined) => string,
    refuse: (socket: Socket, text: string) => void,
  ) {
    this.#limits = limits
    this.#networkOf = networkOf
    this.#refuse = refuse
    this.#networks = new Networks({ perAddress: limits.perAddress, dismiss: (place) => this.#dismiss(place) })
  }

  /** The connection on a socket; undefined before its handshake is complete and for surplus sockets. */
  of(socket: Socket): Connection | undefined {
    return this.#connections.get(socket)
  }

  /** Registers the requests of a server here and passes them to `handler` in their turn. */
  serve(server: Server, handler: RequestListener, options: { readonly isSecure: boolean }): void {
    // Node's own waits for peers that have sent nothing, or half a request, and no longer limits their time.
    server.closeIdleConnections = () => this.#close(server.requestTimeout)
    server.on('connection', (socket: Socket) => this.#count(socket, options))
    if (options.isSecure) server.on('secureConnection', (socket: Socket) => this.#open(socket))
    server.on('timeout', (socket: Socket) => {
      // A response may be slow while many wait for the same thing; a peer that reads or sends nothing is disconnected.
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

  #close(ms: number): void {
    for (const network of this.#networks.all()) {
      for (const { socket } of network.places()) this.of(socket)?.close(ms)
    }
  }

  #count(socket: Socket, { isSecure }: { readonly isSecure: boolean }): void {
    const key = this.#networkOf(socket.remoteAddress)
    if (!this.#networks.enter(key, socket)) return void this.#refuse(socket, this.#reason)
    if (!isSecure) this.#open(socket)
  }

  get #reason(): string {
    return `an address cannot have more than ${this.#limits.perAddress} open connections`
  }

  #dismiss({ socket, member }: Place): void {
    const refuse = () => this.#refuse(socket, this.#reason)
    if (member) member.leave(refuse)
    else refuse()
  }

  #open(socket: Socket): void {
    const network = this.#networks.of(this.#networkOf(socket.remoteAddress))
    const place = network?.of(socket)
    if (!network || !place) return void socket.destroy()
    const connection = new Connection(place, socket, network, this.#line, this.#limits)
    place.member = connection
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      place.member = undefined
    })
  }
}
