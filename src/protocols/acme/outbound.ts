/**
 * HTTPS requests to one certificate authority: only to the origin of its directory, without following redirects, and
 * not to private addresses unless the operator allows them. Addresses are checked at connect time, so that a second DNS
 * answer cannot bypass the check. Time and size are limited.
 */
import { type LookupAddress, lookup } from 'node:dns'
import { Agent, request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, rootCertificates } from 'node:tls'
import { DriverError } from '../driver-error.ts'
import { parseAddress } from '../net/ip.ts'
import { isPrivateAddress } from '../net/private-networks.ts'

export interface OutboundOptions {
  readonly directory: string
  readonly allowPrivate: boolean
  /** Certificates in PEM to trust in addition to the system defaults. */
  readonly ca: string | undefined
  /** The time limit of a request in milliseconds. */
  readonly timeoutMs?: number
}

export interface OutboundAnswer {
  readonly status: number
  header(name: string): string | undefined
  readonly text: string
}

export interface Outbound {
  /** Throws `DriverError`, which is transient when the authority could not be reached. */
  send(
    url: string,
    options?: { readonly method?: 'GET' | 'HEAD' | 'POST'; readonly body?: string },
  ): Promise<OutboundAnswer>
}

const maxBytes = 1_048_576

/** Creates the connection pool to an authority without connecting. */
export function openOutbound({ directory, allowPrivate, ca, timeoutMs = 10_000 }: OutboundOptions): Outbound {
  const { origin } = new URL(directory)
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 16,
    ...(allowPrivate ? {} : { lookup: publicLookup }),
    // Created once, because it takes milliseconds.
    ...(ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) }),
  })
  return {
    async send(url, { method = 'GET', body } = {}) {
      if (!URL.canParse(url) || new URL(url).origin !== origin || !url.startsWith('https:')) {
        throw unreachable(new Error(`the authority sent a URL outside of its origin: ${url.slice(0, 200)}`), false)
      }
      const { hostname } = new URL(url)
      const literal = hostname.replace(/^\[|\]$/g, '')
      if (!allowPrivate && isIP(literal) !== 0 && isPrivate(literal))
        throw unreachable(new Error(`${literal} is private`), false)
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        return await exchange(url, { agent, signal, method, ...(body === undefined ? {} : { body }) })
      } catch (error) {
        throw error instanceof DriverError ? error : unreachable(error, true)
      }
    },
  }
}

/** Hides the cause from the tenant, who can do nothing about it; it is for the log. */
function unreachable(cause: unknown, transient: boolean): DriverError {
  return new DriverError('the certificate authority cannot be reached', { transient, cause })
}

function isPrivate(address: string): boolean {
  const parsed = parseAddress(address)
  return !parsed.ok || isPrivateAddress(parsed.address)
}

/** Resolves names; a name with any private address is refused as a whole. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    if (error) return callback(error, [])
    const refused = found.find(({ address }) => isPrivate(address))
    if (refused || !found[0]) return callback(new Error(`${hostname} leads to a private address`), [])
    if (options.all) callback(null, found)
    else callback(null, found[0].address, found[0].family)
  })
}

interface Exchange {
  readonly agent: Agent
  readonly signal: AbortSignal
  readonly method: string
  readonly body?: string
}

function exchange(url: string, { agent, signal, method, body }: Exchange): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'user-agent': 'wolke-acme',
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/jose+json', 'content-length': Buffer.byteLength(body) }),
    }
    const outgoing = request(url, { agent, signal, method, headers }, (incoming) => {
      const chunks: Buffer[] = []
      let bytes = 0
      incoming.on('error', reject)
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxBytes) incoming.destroy(new Error(`the answer has more than ${maxBytes} bytes`))
        else chunks.push(chunk)
      })
      incoming.on('end', () => {
        const status = incoming.statusCode ?? 0
        if (status >= 300 && status < 400) return reject(new Error('the authority redirects'))
        const header = (name: string) => [incoming.headers[name]].flat().join(', ') || undefined
        resolve({ status, header, text: Buffer.concat(chunks).toString('utf8') })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
