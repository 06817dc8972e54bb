/** Raw bytes over sockets. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Running } from '../../bench/processes.ts'

const portOf = ({ url }: Running) => Number(new URL(url).port)

/** Opens a connection; `tls` selects TLS. */
export function dial(server: Running, tls = false): Socket {
  const port = portOf(server)
  const socket = tls ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }) : connect(port, '127.0.0.1')
  return socket.on('error', () => undefined)
}

export interface RawAnswer {
  readonly status: number
  readonly headers: string
  readonly body: string
}

/** The result of a conversation. */
export interface Heard {
  readonly answers: readonly RawAnswer[]
  /** Bytes that do not form an answer. */
  readonly rest: string
  /** True when the server ended the connection in time. */
  readonly ended: boolean
  /** The duration in milliseconds. */
  readonly ms: number
}

/** Sends bytes and listens until the server ends the connection, or for `patienceMs`. */
export function converse(socket: Socket, bytes: Buffer | string, patienceMs: number): Promise<Heard> {
  const { promise, resolve } = Promise.withResolvers<Heard>()
  const start = performance.now()
  const received: Buffer[] = []
  let over = false
  const finish = (ended: boolean) => {
    if (over) return
    over = true
    clearTimeout(timer)
    socket.destroy()
    resolve({ ...parse(Buffer.concat(received).toString('latin1')), ended, ms: performance.now() - start })
  }
  const timer = setTimeout(() => finish(false), patienceMs)
  socket.on('data', (chunk) => void received.push(chunk)).once('close', () => finish(true))
  socket.write(bytes)
  return promise
}

function parse(text: string): Pick<Heard, 'answers' | 'rest'> {
  const answers: RawAnswer[] = []
  let rest = text
  for (let end = rest.indexOf('\r\n\r\n'); end !== -1; end = rest.indexOf('\r\n\r\n')) {
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(rest)?.[1])
    if (!status) break
    const headers = rest.slice(0, end).toLowerCase()
    const length = status < 200 || status === 204 ? 0 : Number(/\r\ncontent-length: (\d+)/.exec(headers)?.[1] ?? 0)
    if (rest.length < end + 4 + length) break
    if (status >= 200) answers.push({ status, headers, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return { answers, rest }
}

/** Finds the fault of an answer, which must have an envelope and a status below 500; undefined when it is correct. */
export function flaw({ status, headers, body }: RawAnswer): string | undefined {
  if (!headers.includes('\r\nx-correlation-id: ')) return `${status} without a correlation id`
  if (status >= 500) return `${status} ${body}`
  if (status < 400 || body === '') return undefined
  try {
    const { code, message } = JSON.parse(body).error
    return typeof code === 'string' && typeof message === 'string' ? undefined : `${status} without an envelope`
  } catch {
    return `${status} with ${body.slice(0, 80)} for an envelope`
  }
}
