/**
 * The sockets of the name server: one for UDP and one for TCP on the same address. Connections, idle time, message
 * length and the number of pending queries are all bounded, because anybody can reach these sockets.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { isIPv6, type Server } from 'node:net'
import { afterReading } from '../kernel/process/after-reading.ts'
import type { Logger } from '../kernel/process/log.ts'
import { type ListenAddress, listeningAt, listenOptions } from '../protocols/net/listen-address.ts'
import { type Answering, unmapped } from './answering.ts'
import { type TcpServer, tcpServer } from './tcp-server.ts'

export interface Listener {
  readonly host: string
  readonly port: number
  close(): Promise<void>
}

/**
 * The maximum number of UDP queries that wait for the database; further queries that would have to wait are dropped.
 */
const mostWaiting = 1_000
const bindTries = 20

/** Starts listening; port 0 picks a port that is free for both UDP and TCP. */
export async function listenForDns(answering: Answering, at: ListenAddress, log: Logger): Promise<Listener> {
  const { host, port, bound } = at
  for (let attempt = 1; ; attempt++) {
    const udp = udpSocket(answering, isIPv6(host) ? 'udp6' : 'udp4', log)
    const tcp = tcpServer(answering, log)
    try {
      const actual = await bind(udp, at)
      await listen(tcp.server, { ...at, port: actual })
      return { ...listeningAt(tcp.server, at), close: () => closeBoth(udp, tcp) }
    } catch (error) {
      await closeBoth(udp, tcp)
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (port !== 0 || bound || !isTaken || attempt === bindTries) throw error
    }
  }
}

function udpSocket(answering: Answering, type: 'udp4' | 'udp6', log: Logger): UdpSocket {
  const socket = createSocket({
    type,
    recvBufferSize: 4 * 1024 * 1024,
    // Destination addresses come from the socket itself, so there is no name to look up.
    lookup: (address, _options, found) => found(null, address, type === 'udp6' ? 6 : 4),
  })
  const send = sending(socket)
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
          .then((later) => later && send(later, port, address))
          .catch(failed)
          .finally(() => waiting--)
      } else if (answer) send(answer, port, address)
    } catch (error) {
      failed(error)
    }
  })
  return socket
}

function sending(socket: UdpSocket): (answer: Buffer, port: number, address: string) => void {
  let isClosed = false
  socket.once('close', () => {
    isClosed = true
  })
  return (answer, port, address) =>
    afterReading(() => {
      if (!isClosed) socket.send(answer, port, address)
    })
}

function bind(socket: UdpSocket, { host, port, bound }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(bound ? { fd: bound.datagram! } : { address: host, port }, () => {
      socket.off('error', reject)
      resolve(socket.address().port)
    })
  })
}

function listen(server: Server, at: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(listenOptions(at), () => {
      server.off('error', reject)
      resolve()
    })
  })
}

async function closeBoth(udp: UdpSocket, tcp: TcpServer): Promise<void> {
  await tcp.close()
  await new Promise<void>((resolve) => {
    udp.close(() => resolve())
  })
}
