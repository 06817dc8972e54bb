/** Clients of balancers: HTTP over new or kept connections, TLS, and raw TCP. */
import { once } from 'node:events'
import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'

export interface Whereto {
  readonly host: string
  readonly port: number
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly trailers: NodeJS.Dict<string>
  readonly body: string
  /** The address and port of the client's own end. */
  readonly from: string
  /** Of the certificate; empty without TLS. */
  readonly serial: string
  readonly names: string
}

export interface Asked {
  readonly path?: string
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
  /** Keeps connections; without one, each request has its own. */
  readonly agent?: Agent
  /** The name for TLS, which is spoken only with it. */
  readonly name?: string
}

/** Sends one request; rejects when there is no whole answer. */
export async function ask({ host, port }: Whereto, asked: Asked = {}): Promise<Answer> {
  const { path = '/', method = 'GET', headers = {}, body, agent = false, name } = asked
  const common = { host, port, path, method, headers, agent }
  const sent =
    name === undefined ? request(common) : requestTls({ ...common, servername: name, rejectUnauthorized: false })
  sent.end(body)
  const [response] = await once(sent, 'response')
  const { socket } = response
  const from = `${socket.localAddress}:${socket.localPort}`
  const peer = name === undefined ? undefined : (socket as TLSSocket).getPeerCertificate()
  return {
    body: await text(response),
    status: response.statusCode,
    headers: response.headers,
    trailers: response.trailers,
    from,
    serial: peer?.serialNumber ?? '',
    names: peer?.subjectaltname ?? '',
  }
}

/** The status of the answer, or why there is none. */
export async function statusOf(whereto: Whereto, asked: Asked = {}): Promise<number | string> {
  try {
    return (await ask(whereto, asked)).status
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/** A TCP connection; destroyed when the test ends. */
export async function dial(t: TestContext, { host, port }: Whereto): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true })
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Reads until so many bytes are there, or until the other side ends; an error ends it as well. */
export function read(socket: Socket, bytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const parts: Buffer[] = []
  let length = 0
  const finish = () => {
    socket.off('data', take).off('end', finish).off('error', finish).off('close', finish)
    resolve(Buffer.concat(parts))
  }
  const take = (part: Buffer) => {
    parts.push(part)
    length += part.length
    if (length >= bytes) finish()
  }
  socket.on('data', take).once('end', finish).once('error', finish).once('close', finish)
  return promise
}

/** Sends a text to an echo and returns what came back, which is less when the connection ended. */
export async function echo(socket: Socket, message: string): Promise<string> {
  const answer = read(socket, Buffer.byteLength(message))
  socket.write(message)
  return (await answer).toString()
}
