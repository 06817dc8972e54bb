/** Load Balancers of the embedded data plane for its own tests, with targets, on addresses that no other test has. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import type { BalancerService, BalancerState } from '../../src/families/load-balancers/driver.ts'
import { emptyState, plainHttp } from '../kit/samples/balancer-states.ts'

/** An address of this machine alone. Only Linux has more than one of them. */
export function ownAddress(): string {
  return process.platform === 'linux' ? `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}` : '127.0.0.1'
}

/** A service with a health check that connects. */
export function serviceTo(port: number, service: Partial<BalancerService> & { listenPort: number }): BalancerService {
  return {
    protocol: 'http',
    destinationPort: port,
    usesProxyProtocol: false,
    http: service.protocol === 'tcp' ? null : plainHttp,
    healthCheck: { protocol: 'tcp', port, interval: 3, timeout: 2, retries: 2, http: null },
    ...service,
  }
}

export function stateOf(address: string, state: Partial<BalancerState>): BalancerState {
  return { ...emptyState, publicAddresses: [address], ...state }
}

/** A target that speaks HTTP. */
export async function listenHttp(address: string, listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, address)
  await once(server, 'listening')
  return server
}

/** A target that does with connections what it likes. */
export async function listenTcp(address: string, serve: (socket: Socket) => void): Promise<TcpServer> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy())
    serve(socket)
  }).listen(0, address)
  await once(server, 'listening')
  return server
}

export const portOf = (server: TcpServer) => (server.address() as AddressInfo).port

/** Sends bytes as they are and returns all that comes back until the connection ends or breaks, or until `isEnough`. */
export async function converse(
  address: string,
  port: number,
  bytes: string,
  isEnough: (answer: string) => boolean = () => false,
): Promise<string> {
  const socket = connect(port, address)
  socket.on('error', () => socket.destroy())
  socket.write(bytes, 'latin1')
  let answer = ''
  socket.setEncoding('latin1').on('data', (text) => {
    answer += text
    if (isEnough(answer)) socket.destroy()
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return answer
}
