/** Targets of balancers: those that serve, and those that fail in each way that a health check tells apart. */
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { until } from '../../kit/database/bare-database.ts'
import { targetPort } from './balancers.ts'
import type { Plane } from './planes.ts'

/** Where a target listens. */
export interface Place {
  readonly address: string
  readonly port: number
}

/** Listens until the test ends, which destroys its connections. The address is a new one of the plane by default. */
export async function listen(
  t: TestContext,
  plane: Plane,
  server: Server,
  { address = plane.targetAddress(), port = targetPort }: Partial<Place> = {},
): Promise<Place> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    // Who is at the other end may leave at any time.
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  })
  server.listen(port, address)
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { address, port: (server.address() as { port: number }).port }
}

// ---- Those that serve ----------------------------------------------------------------------------------------------

/** A request as a target saw it. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly version: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
}

export interface HttpTarget extends Place {
  /** All but health checks, which ask for a path that begins with `/health`. */
  readonly requests: Seen[]
  readonly checks: Seen[]
}

/** Answers with its own address, unless it has a handler. */
export async function httpTarget(
  t: TestContext,
  plane: Plane,
  handler?: RequestListener,
  place: Partial<Place> = {},
): Promise<HttpTarget> {
  const requests: Seen[] = []
  const checks: Seen[] = []
  const answer: RequestListener = handler ?? ((_, response) => void response.end(at.address))
  const server = createHttpServer((request, response) => {
    const { method = '', url = '', httpVersion: version, headers, rawHeaders } = request
    const isCheck = url.startsWith('/health')
    ;(isCheck ? checks : requests).push({ method, url, version, headers, rawHeaders })
    answer(request, response)
  })
  // The balancer is the one that closes idle connections in these tests.
  server.keepAliveTimeout = 0
  const at = await listen(t, plane, server, place)
  return { ...at, requests, checks }
}

export interface TcpTarget extends Place {
  /** Connections that brought at least a byte, which health checks do not. */
  readonly connections: Set<Socket>
  readonly total: () => number
}

/** Sends back what it gets, and says first who it is if `greets`. */
export async function echoTarget(t: TestContext, plane: Plane, place: Partial<Place> = {}): Promise<TcpTarget> {
  const connections = new Set<Socket>()
  let total = 0
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('data', () => {
      total++
      connections.add(socket)
      socket.once('close', () => connections.delete(socket))
    })
    socket.pipe(socket)
  })
  return { ...(await listen(t, plane, server, place)), connections, total: () => total }
}

// ---- Those that fail -----------------------------------------------------------------------------------------------

const answer = (status: string, body: string) =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`

/** Listens, and does this to each connection that asked for something. */
function asked(t: TestContext, plane: Plane, react: (socket: Socket) => void, place: Partial<Place> = {}) {
  const server = createServer((socket) => void socket.once('data', () => react(socket)))
  return listen(t, plane, server, place)
}

export const answering = (t: TestContext, plane: Plane, status: string, body: string, place?: Partial<Place>) =>
  asked(t, plane, (socket) => socket.end(answer(status, body)), place)

export const silent = (t: TestContext, plane: Plane, place?: Partial<Place>) => asked(t, plane, () => undefined, place)

/** Sends a header that announces a body, and then nothing. */
export const stalling = (t: TestContext, plane: Plane, place?: Partial<Place>) =>
  asked(t, plane, (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'), place)

export const babbling = (t: TestContext, plane: Plane, place?: Partial<Place>) =>
  asked(t, plane, (socket) => socket.end('220 mail.example ESMTP\r\n'), place)

export const resetting = (t: TestContext, plane: Plane, place?: Partial<Place>) =>
  asked(t, plane, (socket) => socket.resetAndDestroy(), place)

const backlog = 1
const listening = `
  const { parentPort, workerData } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ ...workerData, backlog: ${backlog} }, () => {
    parentPort.postMessage('listening')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
`

/** Listens without accepting, with its queue full: the kernel drops each further request for a connection. */
export async function swallowing(t: TestContext, plane: Plane, port = targetPort): Promise<Place> {
  const address = plane.targetAddress()
  const worker = new Worker(listening, { eval: true, workerData: { host: address, port } })
  t.after(() => worker.terminate())
  await once(worker, 'message')
  const waiting = Array.from({ length: 8 }, () => connect(port, address).on('error', () => undefined))
  t.after(() => waiting.forEach((socket) => void socket.destroy()))
  let connected = 0
  for (const socket of waiting) socket.once('connect', () => connected++)
  await until(() => connected > backlog)
  return { address, port }
}
