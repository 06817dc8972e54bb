/** Parses and checks the target and the Host of a request. */
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { hostAndPort } from '../../protocols/net/listen-address.ts'
import { parseId } from '../ids.ts'
import { remembering } from '../process/remembered.ts'
import { type Endpoint, maxText } from './contract.ts'
import { isStorable } from './input.ts'
import { isIdParam } from './path-params.ts'

/** Tells whether every percent sign in the URL begins a valid escape sequence. */
export function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

/** The part before the query. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? url : url.slice(0, mark)
}

/** The query without its question mark. */
export function searchOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** The methods of the endpoints, given with their whole paths, at a decodable path. Endpoints for GET also answer HEAD. */
export function methodsAt(path: string, endpoints: readonly Pick<Endpoint, 'method' | 'path'>[]): string[] {
  const methods = new Set<string>()
  const segments = path.split('/').map(decodeURIComponent)
  for (const endpoint of endpoints) {
    const pattern = endpoint.path.split('/')
    if (pattern.length !== segments.length) continue
    if (
      pattern.every(
        (part, i) => part === segments[i] || (part.startsWith('{') && fits(part.slice(1, -1), segments[i]!)),
      )
    ) {
      methods.add(endpoint.method)
    }
  }
  if (methods.has('GET')) methods.add('HEAD')
  return [...methods].sort()
}

/**
 * Tells whether a text is a valid value of a path parameter. `actions` is never a name, because it is a path of its
 * own.
 */
function fits(name: string, text: string): boolean {
  if (isIdParam(name)) return parseId(text) !== undefined
  if (text === '' || text.length > maxText || !isStorable(text)) return false
  return name !== 'id_or_name' || text !== 'actions'
}

/** The first path parameter with an invalid value, as its text. */
export function firstUnfit(params: Record<string, string>): readonly [name: string, value: string] | undefined {
  for (const name in params) if (!fits(name, params[name]!)) return [name, params[name]!]
  return undefined
}

/**
 * Tells whether a request has exactly one valid Host, which HTTP/1.1 requires and HTTP/1.0 does not (RFC 9112, 3.2).
 */
export function hasValidHost({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  const { host } = headers
  if (host === undefined) return httpVersion === '1.0'
  if (host !== lastHost && !isHost(host)) return false
  lastHost = host
  return countOf('host', rawHeaders) === 1
}

/** Cache of the last valid Host: consecutive requests mostly send the same one. */
let lastHost: string | undefined

/** Tells whether a text is a host name or an IP address (IPv6 in brackets), optionally with a port. */
function isHost(text: string): boolean {
  const [, address, name] = /^(?:\[([\da-f:.]{2,45})\]|([\w.-]{1,253}))(?::\d{1,5})?$/i.exec(text) ?? []
  return address === undefined ? name !== undefined : isIPv6(address)
}

/** Counts how often a header was sent; Node's `headers` shows only the first of most repeated headers. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name) count++
  }
  return count
}

/**
 * The origin of links in a reply, such as `https://cloud.example.com`: the requested host if the operator listed it or
 * if it is `localhost` or an IP address; otherwise the first one that the operator listed. Empty without any, so that
 * links start with the path and stay on the caller's host: a forged Host header must never get a foreign link into a
 * cache.
 */
export function originOf(protocol: string, host: string | undefined, publicOrigins: readonly string[]): string {
  const named = publicOrigins.find((origin) => origin.slice(origin.indexOf('//') + 2) === host?.toLowerCase())
  if (named !== undefined) return named
  if (host !== undefined && isOwnWithPort(host)) return `${protocol}://${host}`
  return publicOrigins[0] ?? ''
}

/** Returns the origin that the request itself names: never for what is cached, since anybody can name any host. */
export function reachedAt(protocol: string, { headers, socket }: IncomingMessage): string {
  const host = headers.host ?? hostAndPort({ host: socket.localAddress ?? '', port: socket.localPort ?? 0 })
  return `${protocol}://${host}`
}

const isOwnWithPort = remembering((host: string) => isOwn(host.replace(/:\d+$/, '')))

function isOwn(hostname: string): boolean {
  return hostname.toLowerCase() === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}

/**
 * Tells whether a Host with an optional port is an IP address, `localhost` or a name below it: none of them is a
 * foreign name.
 */
export function isOwnHost(host: string): boolean {
  const hostname = host.replace(/:\d+$/, '')
  return isOwn(hostname) || hostname.toLowerCase().endsWith('.localhost')
}
