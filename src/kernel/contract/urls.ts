/** Reading the target of a request. */
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { parseId } from '../ids.ts'
import { type Endpoint, isIdParam, maxText } from './contract.ts'
import { isStorable } from './input.ts'

/** Whether every percent sign in it begins a character. */
export function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

/** What comes before the query. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? url : url.slice(0, mark)
}

/** The query without its question mark. */
export function searchOf(url: string): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** The methods that some of the endpoints answer to at a decodable path below the base. What answers GET answers HEAD. */
export function methodsAt(path: string, endpoints: readonly Endpoint[], base: string): string[] {
  const methods = new Set<string>()
  const segments = path.split('/').map(decodeURIComponent)
  for (const endpoint of endpoints) {
    const pattern = (base + endpoint.path).split('/')
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

/** Whether a text can stand for a parameter. `actions` is a path of its own wherever a resource could be named. */
function fits(name: string, text: string): boolean {
  if (isIdParam(name)) return parseId(text) !== undefined
  if (text === '' || text.length > maxText || !isStorable(text)) return false
  return name !== 'id_or_name' || text !== 'actions'
}

/** The text of the first parameter of the path that cannot be what it stands for. */
export function firstUnfit(params: Record<string, string>): string | undefined {
  for (const name in params) if (!fits(name, params[name]!)) return params[name]
  return undefined
}

/** The one Host of a request, which HTTP/1.1 demands; HTTP/1.0 does without (RFC 9112, 3.2). */
export function hasValidHost({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  const { host } = headers
  if (host === undefined) return httpVersion === '1.0'
  if (host !== lastHost && !isHost(host)) return false
  lastHost = host
  return countOf('host', rawHeaders) === 1
}

/** Most requests name the one that the request before them named. */
let lastHost: string | undefined

/** Whether a text has the form of a host name or an address, in brackets where it is IPv6, with a port or without. */
function isHost(text: string): boolean {
  const [, address, name] = /^(?:\[([\da-f:.]{2,45})\]|([\w.-]{1,253}))(?::\d{1,5})?$/i.exec(text) ?? []
  return address === undefined ? name !== undefined : isIPv6(address)
}

/** How often a header was sent: of most, the runtime shows the first alone. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.length === name.length && rawHeaders[i]!.toLowerCase() === name) count++
  }
  return count
}

/**
 * Where links of an answer begin, such as `https://cloud.example.com`: at the host that was asked for, if the operator
 * named it, it is this machine's own name for itself, or an address; else at the first that the operator named. Empty
 * when there is none, so that links begin with the path and lead to where the caller is: whoever sends a Host of somebody
 * else's gets no link there into a cache.
 */
export function originOf(protocol: string, host: string | undefined, publicOrigins: readonly string[]): string {
  const named = publicOrigins.find((origin) => origin.slice(origin.indexOf('//') + 2) === host?.toLowerCase())
  if (named !== undefined) return named
  if (host !== undefined && isOwn(host.replace(/:\d+$/, ''))) return `${protocol}://${host}`
  return publicOrigins[0] ?? ''
}

function isOwn(hostname: string): boolean {
  return hostname.toLowerCase() === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}
