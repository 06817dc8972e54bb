/** The global `fetch` over connections within the process. */
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { connection } from './connection.ts'

type Fetch = typeof globalThis.fetch

interface FetchOptions {
  /** The origin of the URLs that are asked. */
  readonly origin: string
  /** Answers the requests of a connection. */
  connect(connection: Duplex): void
}

/** Errors of what it makes: `TypeError` for URLs of others, and those of the global one. */
export function fetchOver({ origin, connect }: FetchOptions): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    if (url.origin !== origin) throw new TypeError(`this fetch asks ${origin} alone, not ${url.origin}`)
    const body = await bodyOf(request, isStream(input, init))
    // It may have been given up meanwhile.
    request.signal.throwIfAborted()
    const headers = { ...Object.fromEntries(request.headers), host: url.host, connection: 'close' }
    const options = {
      method: request.method,
      path: url.pathname + url.search,
      headers: Buffer.isBuffer(body) ? { ...headers, 'content-length': body.length } : headers,
      createConnection: () => {
        const [client, server] = connection()
        connect(server)
        return client
      },
    }
    return exchange(options as unknown as RequestOptions, { body, signal: request.signal, url: request.url })
  }
}

type Body = Buffer | Readable | undefined

/** The length of a body is known unless it is a stream. */
function isStream(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): boolean {
  const { body } = init ?? {}
  if (body === undefined || body === null) return input instanceof Request && input.body !== null
  return body instanceof globalThis.ReadableStream || (typeof body === 'object' && Symbol.asyncIterator in body)
}

async function bodyOf(request: Request, isStream: boolean): Promise<Body> {
  if (!request.body) return undefined
  return isStream ? Readable.fromWeb(request.body as ReadableStream) : Buffer.from(await request.arrayBuffer())
}

interface Sent {
  readonly body: Body
  readonly signal: AbortSignal
  readonly url: string
}

function exchange(options: RequestOptions, { body, signal, url }: Sent): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const outgoing = httpRequest(options)
  let incoming: IncomingMessage | undefined
  const abort = () => {
    incoming?.destroy(signal.reason)
    outgoing.destroy(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  outgoing.once('close', () => signal.removeEventListener('abort', abort))
  const fail = (cause: unknown) => reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause }))
  outgoing.on('error', fail)
  outgoing.once('response', (response) => {
    incoming = response
    resolve(toResponse(response, url))
  })
  send(outgoing, body, fail)
  return promise
}

function send(outgoing: ClientRequest, body: Body, fail: (cause: unknown) => void): void {
  if (!(body instanceof Readable)) return void outgoing.end(body)
  // A source that fails ends the request, too, but why is lost then.
  body.once('error', fail)
  pipeline(body, outgoing).catch(fail)
}

/** Responses with these codes have no body. */
const bodiless = [204, 205, 304]

function toResponse(incoming: IncomingMessage, url: string): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = incoming
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!)
  const hasBody = !bodiless.includes(status)
  if (!hasBody) incoming.resume()
  const body = hasBody ? (Readable.toWeb(incoming) as unknown as ConstructorParameters<typeof Response>[0]) : null
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url })
}
