/** Connections that stay open, over which one request follows the other: `fetch` costs as much as a server's answer. */
import { connect, type Socket } from 'node:net'

export interface Answered {
  readonly status: number
  readonly text: string
}

export interface Asked {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Connections without a request, by host. */
const free = new Map<string, Line[]>()

/** Asks over a free connection, or over another one. Errors: one when the connection ends before the answer. */
export async function ask(url: string, asked: Asked): Promise<Answered> {
  const { host, hostname, port, pathname, search } = new URL(url)
  // The server may have closed some meanwhile, from which no answer would come.
  const lines = (free.get(host) ?? []).filter(({ isOpen }) => isOpen)
  free.set(host, lines)
  const line = lines.pop() ?? new Line(hostname, Number(port))
  const answered = await line.ask(host, pathname + search, asked)
  if (line.isOpen) free.get(host)!.push(line)
  return answered
}

const endOfHead = '\r\n\r\n'

class Line {
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #waiting: PromiseWithResolvers<Answered> | undefined

  constructor(hostname: string, port: number) {
    this.#socket = connect(port, hostname).setNoDelay()
    this.#socket.on('data', (some: Buffer) => this.#receive(some))
    this.#socket.on('error', (error) => this.#waiting?.reject(error))
    this.#socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')))
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readyState === 'open'
  }

  ask(host: string, path: string, { method, headers, body }: Asked): Promise<Answered> {
    const given = { host, ...headers, ...(method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) }) }
    const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`)
    this.#waiting = Promise.withResolvers()
    this.#socket.ref().write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    return this.#waiting.promise
  }

  #receive(some: Buffer): void {
    this.#received = this.#received.length === 0 ? some : Buffer.concat([this.#received, some])
    const end = this.#received.indexOf(endOfHead)
    if (end === -1) return
    const head = this.#received.toString('latin1', 0, end)
    const from = end + endOfHead.length
    const status = Number(head.slice(9, 12))
    const length = status === 204 ? 0 : Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1])
    if (Number.isNaN(length)) return void this.#socket.destroy(new Error('an answer without a length cannot be read'))
    if (this.#received.length < from + length) return
    const text = this.#received.toString('utf8', from, from + length)
    this.#received = Buffer.alloc(0)
    const waiting = this.#waiting!
    this.#waiting = undefined
    // A connection without a request keeps no process running.
    this.#socket.unref()
    waiting.resolve({ status, text })
  }
}
