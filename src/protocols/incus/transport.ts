/** HTTP to one Incus daemon: over its unix socket, or over TLS with certificates that both sides know. */
import { X509Certificate } from 'node:crypto'
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import type { PeerCertificate } from 'node:tls'
import { DriverError } from '../driver-error.ts'

/** The certificates with which both sides know each other, as PEM. */
export interface Certificates {
  readonly clientCertificate: string
  readonly clientKey: string
  /** The certificate that the daemon shows; the members of a cluster share one. No other is accepted. */
  readonly serverCertificate: string
}

/** The address of a daemon: the path of its unix socket, or its URL (`https://host:8443`). */
export type Endpoint = { readonly socket: string } | { readonly url: string; readonly certificates: Certificates }

/** A body that is sent: at once, or as it is read, from its beginning each time. */
export type Body = Buffer | string | (() => Readable)

export interface Answer {
  readonly status: number
  readonly etag: string | undefined
  readonly text: string
}

/** Connecting may take so long, in milliseconds: a host that is gone does not refuse, it is silent. */
const connectMs = 3_000
/**
 * More calls than these wait for each other: actions that wait for Incus do not, and leave some for what is asked
 * meanwhile.
 */
const mostConnections = 256

/** The connections to daemons. */
const agents = new WeakSet<object>()

/** Tells whether a request of Node goes to a daemon. */
export function isToHost(request: ClientRequest): boolean {
  const { agent } = request as ClientRequest & { readonly agent?: object }
  return agent !== undefined && agents.has(agent)
}

export class Transport {
  readonly name: string
  readonly #endpoint: Endpoint
  readonly #agent: HttpAgent | HttpsAgent

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
    this.name = 'url' in endpoint ? endpoint.url : endpoint.socket
    const pool = { keepAlive: true, maxSockets: mostConnections }
    this.#agent =
      'url' in endpoint ? new HttpsAgent({ ...pool, ...tlsOptions(endpoint.certificates) }) : new HttpAgent(pool)
    agents.add(this.#agent)
  }

  /** Sends a request and reads the whole answer. Errors: a transient `Unreachable` when there is none in time. */
  async send(method: string, path: string, body: Body | undefined, options: SendOptions): Promise<Answer> {
    const deadline = AbortSignal.timeout(options.timeoutMs)
    for (;;) {
      const sent = this.#open(method, path, options.headers ?? {}, deadline)
      try {
        const response = await sent.answer(body)
        return await read(response, options.mostBytes)
      } catch (error) {
        // The daemon closed a connection that was kept for the next request, before it saw this one.
        if (sent.isStale() && !deadline.aborted) continue
        throw new Unreachable(this.name, isUntrusted(error) ? new Error(anotherCertificate, { cause: error }) : error)
      }
    }
  }

  #open(method: string, path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
    const options = { method, headers, signal, agent: this.#agent }
    const endpoint = this.#endpoint
    const request =
      'url' in endpoint
        ? httpsRequest(new URL(path, endpoint.url), options)
        : httpRequest({ ...options, socketPath: endpoint.socket, path, host: 'incus' })
    // A call that waits for its turn has no socket, which says nothing about the host.
    request.once('socket', (socket) => {
      if (!socket.connecting) return
      const timer = setTimeout(() => request.destroy(new Error('no connection in time')), connectMs)
      socket.once('connect', () => clearTimeout(timer))
      request.once('close', () => clearTimeout(timer))
    })
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    let failure: NodeJS.ErrnoException | undefined
    request.once('response', resolve)
    request.on('error', (error) => {
      failure = error
      reject(error)
    })
    return {
      answer(body: Body | undefined) {
        if (typeof body === 'function') pipeline(body(), request, (error) => error && reject(error))
        else request.end(body)
        return promise
      },
      isStale: () => request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(failure?.code ?? ''),
    }
  }

  /** The address and options with which a WebSocket is opened at this daemon. */
  webSocket(path: string): { readonly address: string; readonly options: object } {
    const endpoint = this.#endpoint
    if ('socket' in endpoint) return { address: `ws+unix://${endpoint.socket}:${path}`, options: {} }
    const url = new URL(path, endpoint.url)
    url.protocol = 'wss:'
    return { address: url.href, options: tlsOptions(endpoint.certificates) }
  }

  close(): void {
    this.#agent.destroy()
  }
}

export interface SendOptions {
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>>
  /** The bytes of an answer that are read; the rest is left out. */
  readonly mostBytes?: number | undefined
}

/** A daemon does not answer: whether it did what it was asked is not known. */
export class Unreachable extends DriverError {
  readonly #name: string

  constructor(name: string, cause: unknown) {
    super(`The hosts do not answer at ${name}`, { transient: true, code: 'unavailable', cause })
    this.#name = name
  }

  /** The same of all that were asked, in this order. */
  static all(failures: readonly Unreachable[]): Unreachable {
    const [first, ...others] = failures
    if (first && others.length === 0) return first
    const reasons = failures.map((failure) => `${failure.#name}: ${(failure.cause as Error).message}`)
    return new Unreachable(
      failures.map((failure) => failure.#name).join(', '),
      new AggregateError(failures, reasons.join('; ')),
    )
  }
}

const anotherCertificate = 'the daemon shows another certificate than the one that is known'

/** Tells whether TLS refuses a certificate because the known one has not signed it. */
function isUntrusted(error: unknown): boolean {
  const codes = ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']
  return codes.includes((error as NodeJS.ErrnoException).code ?? '')
}

async function read(response: IncomingMessage, mostBytes = Number.POSITIVE_INFINITY): Promise<Answer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    parts.push(part as Buffer)
    bytes += (part as Buffer).length
    if (bytes > mostBytes) break
  }
  const text = Buffer.concat(parts).subarray(0, mostBytes).toString()
  return { status: response.statusCode ?? 0, etag: response.headers.etag, text }
}

/** Names in the certificate do not matter, since it is known as a whole. */
function tlsOptions({ clientCertificate, clientKey, serverCertificate }: Certificates) {
  const { raw } = new X509Certificate(serverCertificate)
  return {
    cert: clientCertificate,
    key: clientKey,
    ca: serverCertificate,
    checkServerIdentity: (_host: string, shown: PeerCertificate) =>
      shown.raw.equals(raw) ? undefined : new Error(anotherCertificate),
  }
}
