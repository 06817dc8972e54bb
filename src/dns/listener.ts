/**
 * The sockets of the name server: one for UDP and one for TCP on the same address. Connections, idle time, message
 * length and the number of pending queries are all bounded, because anybody can reach these sockets.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import type { Logger } from '../kernel/process/log.ts'
import { framed, MessageStream } from './tcp-stream.ts'

/** Produces the answers to messages; undefined sends no answer. */
export interface Answering {
  udp(bytes: Buffer, address: string): Buffer | undefined | Promise<Buffer | undefined>
  /** Yields a single answer, or all messages of a zone transfer. */
  tcp(bytes: Buffer, address: string): AsyncIterable<Buffer>
}

export interface Listener {
  readonly host: string
  readonly port: number
  close(): Promise<void>
}

const maxConnections = 200
const maxPerAddress = 50
const idleMs = 10_000
/** The maximum length of a query; only answers can be longer. */
const maxQueryBytes = 4_096
/**
 * The maximum number of UDP queries that wait for the database; further queries that would have to wait are dropped.
 */
const mostWaiting = 1_000
const bindTries = 20

/** Starts listening; port 0 picks a port that is free for both UDP and TCP. */
export async function listenForDns(
  answering: Answering,
  { host, port }: { readonly host: string; readonly port: number },
  log: Logger,
): Promise<Listener> {
  for (let attempt = 1; ; attempt++) {
    const udp = udpSocket(answering, isIPv6(host) ? 'udp6' : 'udp4', log)
    const tcp = tcpServer(answering, log)
    try {
      const actual = await bind(udp, host, port)
      await listen(tcp.server, host, actual)
      return { host, port: actual, close: () => closeBoth(udp, tcp) }
    } catch (error) {
      await closeBoth(udp, tcp)
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (port !== 0 || !isTaken || attempt === bindTries) throw error
    }
  }
}

/** Turns an IPv4-mapped IPv6 address, as a dual-stack socket reports it, into the IPv4 address. */
const unmapped = (address: string) => address.replace(/^::ffff:(?=\d+\.)/, '')

function udpSocket(answering: Answering, type: 'udp4' | 'udp6', log: Logger): UdpSocket {
  const socket = createSocket({
    type,
    recvBufferSize: 4 * 1024 * 1024,
    // Destination addresses come from the socket itself, so there is no name to look up.
    lookup: (address, _options, found) => found(null, address, type === 'udp6' ? 6 : 4),
  })
  let waiting = 0
  const failed = (error: unknown) => log.error({ err: error }, 'a DNS query failed')
  socket.on('error', (error) => log.debug({ err: error }, 'a DNS answer was not sent'))
  socket.on('message', (bytes, { address, port }) => {
    // No client can receive on port 0.
    if (port === 0 || waiting >= mostWaiting) return
    try {
      const answer = answering.udp(bytes, unmapped(address))
      if (answer instanceof Promise) {
        waiting++
        answer
          .then((later) => later && socket.send(later, port, address))
          .catch(failed)
          .finally(() => waiting--)
      } else if (answer) socket.send(answer, port, address)
    } catch (error) {
      failed(error)
    }
  })
  return socket
}

interface TcpServer {
  readonly server: Server
  readonly connections: ReadonlySet<Socket>
}

function tcpServer(answering: Answering, log: Logger): TcpServer {
  const connections = new Set<Socket>()
  const byAddress = new Map<string, number>()
  const server = createServer({ noDelay: true }, (socket) => {
    const address = unmapped(socket.remoteAddress ?? '')
    const count = (byAddress.get(address) ?? 0) + 1
    byAddress.set(address, count)
    connections.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      connections.delete(socket)
      const left = byAddress.get(address)! - 1
      if (left > 0) byAddress.set(address, left)
      else byAddress.delete(address)
    })
    if (count > maxPerAddress) {
      socket.destroy()
      return
    }
    socket.setTimeout(idleMs, () => socket.destroy())
    converse(answering, socket, address)
      .catch((error: unknown) => {
        if (!(error instanceof RangeError) && !socket.destroyed) log.error({ err: error }, 'a DNS query failed')
      })
      .finally(() => socket.destroy())
  })
  server.maxConnections = maxConnections
  server.on('error', (error) => log.debug({ err: error }, 'a DNS connection failed'))
  return { server, connections }
}

/** Answers the messages of one connection in order; nothing more is read while one message is being answered. */
async function converse(answering: Answering, socket: Socket, address: string): Promise<void> {
  const stream = new MessageStream(maxQueryBytes)
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    for (const message of stream.take(chunk)) {
      for await (const answer of answering.tcp(message, address)) {
        if (!socket.write(framed(answer))) await drained(socket)
        if (socket.destroyed) return
      }
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

function bind(socket: UdpSocket, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind({ address: host, port }, () => {
      socket.off('error', reject)
      resolve(socket.address().port)
    })
  })
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

async function closeBoth(udp: UdpSocket, { server, connections }: TcpServer): Promise<void> {
  for (const socket of connections) socket.destroy()
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  await new Promise<void>((resolve) => {
    udp.close(() => resolve())
  })
}
