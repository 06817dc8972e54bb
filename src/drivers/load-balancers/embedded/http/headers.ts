/** What becomes of the headers of requests and answers on their way. All lists are flat: a name, its value, and so on. */
import type { IncomingMessage } from 'node:http'
import type { AnswerHead } from '../targets/answer-parser.ts'
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
  /** All of the head, to be sent in latin1. */
  readonly text: string
  /** The value of the cookie of sticky sessions. */
  readonly cookie: string | undefined
  readonly hasBody: boolean
  /** Whether the length of the body is not known before its end. */
  readonly isChunked: boolean
}

/**
 * Makes the head for the target; undefined for a request that can be read in more than one way, or that HTTP/1.1 cannot say.
 * `upgrade` is the protocol that it asks for.
 */
export function forwardedHead(
  request: IncomingMessage,
  forwarding: Forwarding,
  upgrade: string | undefined,
): ForwardedHead | undefined {
  const { headers, rawHeaders } = request
  const listed = listedNames(headers.connection)
  let kept = ''
  let hosts = 0
  let hostValue = headers[':authority'] as string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (name === 'host') {
      hosts++
      hostValue ??= rawHeaders[at + 1]!
    }
    if (droppedFromRequests.has(name) || listed?.has(name) || name.charCodeAt(0) === colon) continue
    const line = `${rawHeaders[at]}: ${rawHeaders[at + 1]}`
    if (!isLine.test(line)) return undefined
    kept += `${line}\r\n`
  }
  if (hosts > 1) return undefined
  const target = targetOf(request.url ?? '', hostValue)
  if (!target) return undefined
  const { kept: cookies, taken } = takeCookie(headers.cookie, forwarding.cookieName)
  const framing = framingOf(request)
  const first = `${request.method} ${target.path}`
  const own = [`Host: ${target.host}`, ...(cookies ? [`Cookie: ${cookies}`] : []), ...framing.lines]
  if (upgrade !== undefined) own.push('Connection: Upgrade', `Upgrade: ${upgrade}`)
  if (!isRequest.test(first) || !own.every((line) => isLine.test(line))) return undefined
  own.push(...forwardedFor(request, forwarding), ...(upgrade === undefined ? ['Connection: keep-alive'] : []))
  const text = `${first} HTTP/1.1\r\n${own.join('\r\n')}\r\n${kept}\r\n`
  return { method: request.method!, text, cookie: taken, hasBody: framing.hasBody, isChunked: framing.isChunked }
}

/** What a line of a request may be. HTTP/2 lets characters pass that would end it, or that HTTP/1.1 cannot say. */
const isRequest = /^[\w!#$%&'*+.^`|~-]+ [\x21-\x7e\x80-\xff]+$/
const isLine = /^[\w!#$%&'*+.^`|~-]+: [\t\x20-\x7e\x80-\xff]*$/

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

interface Framing {
  readonly lines: readonly string[]
  readonly hasBody: boolean
  readonly isChunked: boolean
}

/** The methods whose requests usually have no body, and say nothing of one that they do not have. */
const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])
const noBody: Framing = { lines: [], hasBody: false, isChunked: false }
const emptyBody: Framing = { lines: ['Content-Length: 0'], hasBody: false, isChunked: false }

/** How long the body is. What the request says was checked by the parser, and nothing but this is said to the target. */
function framingOf(request: IncomingMessage): Framing {
  const { headers } = request
  const length = headers['content-length']
  if (length !== undefined && length !== '0') {
    return { lines: [`Content-Length: ${length}`], hasBody: true, isChunked: false }
  }
  const stream = streamOf(request)
  const isOpenEnded = stream ? !stream.endAfterHeaders : 'transfer-encoding' in headers
  if (length === '0' || !isOpenEnded) return bodiless.has(request.method!) ? noBody : emptyBody
  const announced = headers.trailer === undefined ? [] : [`Trailer: ${headers.trailer}`]
  return { lines: [...announced, 'Transfer-Encoding: chunked'], hasBody: true, isChunked: true }
}

function forwardedFor(request: IncomingMessage, { proto, port }: Forwarding): string[] {
  const before = request.headers['x-forwarded-for']
  const address = request.socket.remoteAddress ?? ''
  return [
    `X-Forwarded-For: ${before ? `${before}, ${address}` : address}`,
    `X-Forwarded-Proto: ${proto}`,
    `X-Forwarded-Port: ${port}`,
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
export function answerHeaders({ connection, rawHeaders }: AnswerHead): string[] {
  const listed = listedNames(connection)
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!droppedFromAnswers.has(name) && !listed?.has(name)) kept.push(rawHeaders[at]!, rawHeaders[at + 1]!)
  }
  return kept
}

/** The trailers that are passed on, of a flat list. */
export function keptTrailers(raw: readonly string[]): [string, string][] {
  const pairs = Array.from({ length: raw.length / 2 }, (_, at): [string, string] => [raw[2 * at]!, raw[2 * at + 1]!])
  return pairs.filter(([name]) => !droppedFromRequests.has(name.toLowerCase()) && !name.startsWith(':'))
}

/** The trailers of a request as its target gets them. */
export function trailerText(raw: readonly string[]): string {
  const lines = keptTrailers(raw).map(([name, value]) => `${name}: ${value}`)
  return lines.map((line) => (isLine.test(line) ? `${line}\r\n` : '')).join('')
}
