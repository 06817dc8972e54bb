/**
 * Requests to one certificate authority and to nothing else: only to the origin of its directory, never along a redirect,
 * not to private addresses unless the operator allows it (looked at when the connection is made, so that no second answer
 * of DNS gets past), within limits of time and size.
 */
import { type LookupAddress, lookup } from 'node:dns'
import { Agent, request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { createSecureContext, rootCertificates } from 'node:tls'
import { DriverError } from '../../kernel/actions/define.ts'
import { parseAddress } from '../../net/ip.ts'
import { isPrivateAddress } from '../../net/private-networks.ts'

export interface OutboundOptions {
  readonly directory: string
  readonly allowPrivate: boolean
  /** Certificates in PEM to trust besides the usual ones. */
  readonly ca: string | undefined
  /** The most that an answer may take, in milliseconds. */
  readonly timeoutMs?: number
}

export interface OutboundAnswer {
  readonly status: number
  header(name: string): string | undefined
  readonly text: string
}

export interface Outbound {
  /** Errors: `DriverError`, transient when the authority could not be reached or did not answer as one. */
  send(
    url: string,
    options?: { readonly method?: 'GET' | 'HEAD' | 'POST'; readonly body?: string },
  ): Promise<OutboundAnswer>
}

const maxBytes = 1_048_576

/** Opens the way to an authority; it connects when something is sent. */
export function openOutbound({ directory, allowPrivate, ca, timeoutMs = 10_000 }: OutboundOptions): Outbound {
  const { origin } = new URL(directory)
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 16,
    ...(allowPrivate ? {} : { lookup: publicLookup }),
    // Made once: it takes milliseconds.
    ...(ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) }),
  })
  return {
    async send(url, { method = 'GET', body } = {}) {
      if (!URL.canParse(url) || new URL(url).origin !== origin || !url.startsWith('https:')) {
        throw unreachable(new Error(`the authority names an address that is not its own: ${url.slice(0, 200)}`), false)
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

/** What tells the tenant nothing but that it is not their fault. */
function unreachable(cause: unknown, transient: boolean): DriverError {
  return new DriverError('the certificate authority cannot be reached', { transient, cause })
}

function isPrivate(address: string): boolean {
  const parsed = parseAddress(address)
  return !parsed.ok || isPrivateAddress(parsed.address)
}

/** Resolves names; one that leads to a private address, whatever else it leads to, leads nowhere. */
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
