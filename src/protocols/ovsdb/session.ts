/** One connection to one member of an OVSDB database (RFC 7047): calls with deadlines, and what it tells unasked. */
import { connect as connectSocket, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { DriverError } from '../driver-error.ts'
import { Framing } from './framing.ts'

/** The files of a mutual TLS connection, in PEM. */
export interface OvnTls {
  readonly ca: string
  readonly certificate: string
  readonly key: string
}

interface PendingRequest {
  resolve(result: unknown): void
  reject(error: Error): void
}

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: readonly unknown[]
  readonly result?: unknown
  readonly error?: unknown
}

/** Members are asked whether they are still there after this time without a word from them. */
const silenceMs = 15_000
const maxMessageBytes = 256 * 1024 * 1024

export class Session {
  /** Settles when the connection is gone. */
  readonly closed: Promise<void>
  readonly remote: string
  readonly #socket: Socket
  readonly #waiting = new Map<number, PendingRequest>()
  readonly #framing = new Framing(maxMessageBytes)
  #listen: (method: string, params: readonly unknown[]) => void = () => undefined
  #calls = 0
  #reason: Error | undefined

  private constructor(remote: string, socket: Socket) {
    this.remote = remote
    this.#socket = socket
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('data', (piece) => this.#take(piece))
    socket.on('error', (error) => {
      this.#reason ??= error
    })
    socket.once('close', () => this.#fail())
    socket.setTimeout(silenceMs, () => this.#probe())
  }

  /** Errors: a transient `DriverError` when the member cannot be reached in time. */
  static open(remote: string, tls: OvnTls | undefined, timeoutMs: number): Promise<Session> {
    return new Promise((resolve, reject) => {
      const socket = dial(remote, tls)
      const timer = setTimeout(() => socket.destroy(new Error('it does not answer')), timeoutMs)
      const fail = (error?: Error) => reject(unreachable(remote, error))
      socket.once('error', fail)
      socket.once('close', () => fail())
      socket.once(remote.startsWith('ssl:') ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer)
        socket.removeAllListeners('close').removeListener('error', fail)
        resolve(new Session(remote, socket))
      })
      socket.once('close', () => clearTimeout(timer))
    })
  }

  /** Hands over every notification, such as an update of a monitor. */
  onNotification(listen: (method: string, params: readonly unknown[]) => void): void {
    this.#listen = listen
  }

  /**
   * Errors: a transient `DriverError` when the connection is lost or there is no answer in time, in which case nobody
   * knows whether the call had an effect; a permanent one when the member does not understand the call.
   */
  call(method: string, params: readonly unknown[], timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(unreachable(this.remote, this.#reason))
      const id = ++this.#calls
      const timer = setTimeout(() => this.end(new Error(`no answer to ${method} in ${timeoutMs} ms`)), timeoutMs)
      const settle = () => {
        clearTimeout(timer)
        this.#waiting.delete(id)
      }
      this.#waiting.set(id, {
        resolve: (result) => {
          settle()
          resolve(result)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      })
      this.#socket.write(JSON.stringify({ id, method, params }))
    })
  }

  end(reason?: Error): void {
    this.#reason ??= reason
    this.#socket.destroy()
  }

  #take(piece: Buffer): void {
    try {
      for (const message of this.#framing.take(piece)) this.#handle(message as Message)
    } catch (error) {
      this.end(error as Error)
    }
  }

  #handle({ id, method, params = [], result, error }: Message): void {
    if (method === 'echo') this.#socket.write(JSON.stringify({ id, result: params, error: null }))
    else if (method !== undefined) this.#listen(method, params)
    else this.#answer(id as number, result, error ?? null)
  }

  #answer(id: number, result: unknown, error: unknown): void {
    const waiting = this.#waiting.get(id)
    if (error === null) waiting?.resolve(result)
    else waiting?.reject(new DriverError(`OVSDB refuses a call: ${JSON.stringify(error)}`, { transient: false }))
  }

  /** A member that is gone without a word is noticed by its silence. */
  #probe(): void {
    this.call('echo', [], silenceMs).catch(() => undefined)
  }

  #fail(): void {
    for (const { reject } of this.#waiting.values()) reject(unreachable(this.remote, this.#reason))
  }
}

function dial(remote: string, tls: OvnTls | undefined): Socket {
  const [, kind, rest] = /^(unix|tcp|ssl):(.+)$/.exec(remote) ?? []
  if (kind === 'unix') return connectSocket(rest!)
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(rest ?? '') ?? []
  if (host === undefined) throw new Error(`${remote} is no unix:PATH, tcp:HOST:PORT or ssl:HOST:PORT`)
  const address = { host, port: Number(port) }
  if (kind === 'tcp') return connectSocket(address)
  if (!tls) throw new Error(`${remote} needs a certificate authority, a certificate and its key`)
  const { ca, certificate: cert, key } = tls
  // The authority signs the databases of this OVN only, and the certificates that it issues name no hosts.
  return connectTls({ ...address, ca, cert, key, minVersion: 'TLSv1.2', checkServerIdentity: () => undefined })
}

/** The failure of a call whose effect is unknown. */
export class Unreachable extends DriverError {}

function unreachable(remote: string, cause: Error | undefined): Unreachable {
  const reason = cause?.message ?? 'the connection was closed'
  return new Unreachable(`OVN's database ${remote} cannot be reached: ${reason}`, { transient: true, cause })
}
