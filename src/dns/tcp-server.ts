/**
 * DNS over TCP. Places are counted by network and in total; when they are taken, connections make room for newcomers as
 * those of HTTP do: never one in the moment of its query.
 */
import { createServer, type Server, type Socket } from 'node:net'
import type { Logger } from '../kernel/process/log.ts'
import { clientNetwork, type Doing, type Member, Networks, type Place } from '../kernel/process/network.ts'
import { type Answering, unmapped } from './answering.ts'
import { framed, MessageStream } from './tcp-stream.ts'

const maxConnections = 200
const maxPerNetwork = 50
const idleMs = 10_000
/** The maximum length of a query; only answers can be longer. */
const maxQueryBytes = 4_096

/** The time for a query to arrive, and for its answer to be read, once the server closes. */
const closingMs = { asking: 500, served: 5_000 }

export interface TcpServer {
  readonly server: Server
  /** Accepts nobody any more, and ends connections once what has arrived on them is answered. */
  close(): Promise<void>
}

export function tcpServer(answering: Answering, log: Logger): TcpServer {
  const connections = new Set<Connection>()
  const dismiss = ({ socket }: Place) => void socket.destroy()
  const networks = new Networks({ perAddress: maxPerNetwork, dismiss })
  const total = new Networks({ perAddress: maxConnections, dismiss })
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined)
    const places = [networks.enter(clientNetwork(socket.remoteAddress), socket), total.enter('', socket)]
    if (!places.every((place) => place !== undefined)) return void socket.destroy()
    const connection = new Connection(socket, places, answering, log)
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
    for (const place of places) place.member = connection
    connection.admit()
  })
  server.on('error', (error) => log.debug({ err: error }, 'a DNS connection failed'))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const connection of connections) connection.close()
    })
  return { server, close }
}

class Connection implements Member {
  readonly #socket: Socket
  readonly #places: readonly Place[]
  readonly #answering: Answering
  readonly #log: Logger
  readonly #stream = new MessageStream(maxQueryBytes)
  #hasBegun = false
  #isClosing = false
  #doing: Doing = { is: 'asking', since: performance.now() }

  constructor(socket: Socket, places: readonly Place[], answering: Answering, log: Logger) {
    this.#socket = socket
    this.#places = places
    this.#answering = answering
    this.#log = log
  }

  get doing(): Doing {
    return this.#doing
  }

  /** Begins once it has all of its places; nothing is read before. */
  admit(): void {
    if (this.#hasBegun || this.#places.some(({ isWaiting }) => isWaiting)) return
    this.#hasBegun = true
    const socket = this.#socket
    socket.setTimeout(idleMs, () => socket.destroy())
    this.#converse()
      .catch((error: unknown) => {
        if (!(error instanceof RangeError) && !socket.destroyed) this.#log.error({ err: error }, 'a DNS query failed')
      })
      .finally(() => socket.destroy())
  }

  leave(): void {
    this.#socket.destroy()
  }

  /** Ends it, unless a query is on its way or being answered. */
  close(): void {
    const { is } = this.#doing
    if (is === 'idle') return void this.#socket.destroy()
    this.#isClosing = true
    const timer = setTimeout(() => this.#socket.destroy(), closingMs[is])
    this.#socket.once('close', () => clearTimeout(timer))
  }

  /** Answers the messages in order; nothing more is read while one of them is being answered. */
  async #converse(): Promise<void> {
    for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
      if (this.#doing.is === 'idle') this.#becomes('asking')
      for (const message of this.#stream.take(chunk)) {
        this.#doing = { is: 'served' }
        await this.#answer(message)
        if (this.#socket.destroyed) return
      }
      if (this.#isClosing && this.#stream.isEmpty) return void (await this.#flush())
      if (this.#doing.is === 'served') this.#becomes(this.#stream.isEmpty ? 'idle' : 'asking')
    }
  }

  #becomes(is: 'asking' | 'idle'): void {
    this.#doing = { is, since: performance.now() }
  }

  /** Sends what was written before the connection ends. */
  #flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve())
      this.#socket.end(() => resolve())
    })
  }

  async #answer(message: Buffer): Promise<void> {
    const socket = this.#socket
    for await (const answer of this.#answering.tcp(message, unmapped(socket.remoteAddress ?? ''))) {
      if (!socket.write(framed(answer))) await drained(socket)
      if (socket.destroyed) return
    }
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done)
      socket.off('close', done)
      resolve()
    }
    socket.once('drain', done)
    socket.once('close', done)
  })
}
