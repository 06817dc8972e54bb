/** What becomes of the headers of requests and answers on their way. All lists are flat: a name, its value, and so on. */
import type { IncomingMessage } from 'node:http'
import { streamOf } from './messages.ts'

/** Of one connection alone, or said anew by whoever forwards. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
]
const droppedFromRequests = new Set([
  ...hopByHop,
  'content-length',
  'cookie',
  'host',
  'x-forwarded-for',
  'x-forwarded-port',
  'x-forwarded-proto',
])
const droppedFromAnswers = new Set(hopByHop)

/** What is added to requests of a service. */
export interface Forwarding {
  readonly proto: 'http' | 'https'
  readonly port: number
  /** The cookie that targets do not get; undefined without sticky sessions. */
  readonly cookieName: string | undefined
}

/** A request as its target gets it. */
export interface ForwardedHead {
  readonly method: string
  readonly path: string
  readonly headers: string[]
  /** The value of the cookie of sticky sessions. */
  readonly cookie: string | undefined
  readonly hasBody: boolean
}

/** Makes the head for the target; undefined for a request that can be read in more than one way. */
export function forwardedHead(request: IncomingMessage, forwarding: Forwarding): ForwardedHead | undefined {
  const { headers, rawHeaders } = request
  const listed = listedNames(headers.connection)
  const kept: string[] = []
  let hosts = 0
  let hostValue = headers[':authority'] as string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (name === 'host') {
      hosts++
      hostValue ??= rawHeaders[at + 1]!
    }
    if (droppedFromRequests.has(name) || listed?.has(name) || name.charCodeAt(0) === colon) continue
    kept.push(rawHeaders[at]!, rawHeaders[at + 1]!)
  }
  if (hosts > 1) return undefined
  const target = targetOf(request.url ?? '', hostValue)
  if (!target) return undefined
  kept.unshift('Host', target.host)
  const { kept: cookies, taken } = takeCookie(headers.cookie, forwarding.cookieName)
  if (cookies) kept.push('Cookie', cookies)
  const framing = framingOf(request)
  kept.push(...framing, ...forwardedFor(request, forwarding))
  return { method: request.method!, path: target.path, headers: kept, cookie: taken, hasBody: framing.length > 0 }
}

const colon = 58

/** Names that a `Connection` header says are its own; undefined for the usual values. */
function listedNames(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  return new Set(connection.toLowerCase().split(/[\s,]+/))
}

/** The authority of an absolute URL takes precedence over the `Host` (RFC 9112, 3.2.2). */
function targetOf(url: string, host = ''): { path: string; host: string } | undefined {
  if (url.startsWith('/') || url === '*') return { path: url, host }
  const [, authority, path] = /^https?:\/\/([^/?#@]+)([/?][^#]*)?$/i.exec(url) ?? []
  if (authority === undefined) return undefined
  return { path: path?.startsWith('?') ? `/${path}` : (path ?? '/'), host: authority }
}

/** How long the body is. What the request says was checked by the parser, and nothing but this is said to the target. */
function framingOf(request: IncomingMessage): string[] {
  const { headers } = request
  const length = headers['content-length']
  if (length !== undefined) return length === '0' ? [] : ['Content-Length', length]
  const stream = streamOf(request)
  const isOpenEnded = stream ? !stream.endAfterHeaders : 'transfer-encoding' in headers
  if (!isOpenEnded) return []
  const announced = headers.trailer === undefined ? [] : ['Trailer', headers.trailer]
  return [...announced, 'Transfer-Encoding', 'chunked']
}

function forwardedFor(request: IncomingMessage, { proto, port }: Forwarding): string[] {
  const before = request.headers['x-forwarded-for']
  const address = request.socket.remoteAddress ?? ''
  return [
    'X-Forwarded-For',
    before ? `${before}, ${address}` : address,
    'X-Forwarded-Proto',
    proto,
    'X-Forwarded-Port',
    `${port}`,
  ]
}

/** Takes a cookie off the others. */
function takeCookie(
  cookies: string | undefined,
  name: string | undefined,
): { kept?: string; taken: string | undefined } {
  if (!cookies || name === undefined || !cookies.includes(name)) {
    return { ...(cookies ? { kept: cookies } : {}), taken: undefined }
  }
  const pairs = cookies.split(';').map((pair) => pair.trim())
  const isIt = (pair: string) => pair.startsWith(`${name}=`)
  return { kept: pairs.filter((pair) => !isIt(pair)).join('; '), taken: pairs.find(isIt)?.slice(name.length + 1) }
}

/** The headers of an answer as the client gets them. Trailers need not be announced, and cannot be to every client. */
export function answerHeaders({ headers, rawHeaders }: IncomingMessage): string[] {
  const listed = listedNames(headers.connection)
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!droppedFromAnswers.has(name) && !listed?.has(name)) kept.push(rawHeaders[at]!, rawHeaders[at + 1]!)
  }
  return kept
}

/** The trailers that are passed on. */
export function trailersOf({ rawTrailers }: IncomingMessage): [string, string][] {
  const pairs = Array.from({ length: rawTrailers.length / 2 }, (_, at): [string, string] => [
    rawTrailers[2 * at]!,
    rawTrailers[2 * at + 1]!,
  ])
  return pairs.filter(([name]) => !droppedFromRequests.has(name.toLowerCase()) && !name.startsWith(':'))
}
