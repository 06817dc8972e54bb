/**
 * The address of a caller comes from here alone, also for requests that never become one of the framework. A proxy that
 * is trusted says for whom it asks; nobody else is believed.
 */
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** Tells whether an address is that of a trusted proxy. */
export type Trust = (address: string, hop: number) => boolean

/** Trusts the proxies in some networks, given as addresses or in CIDR notation. */
export function trustIn(networks: readonly string[] = []): Trust {
  return networks.length > 0 ? proxyAddr.compile([...networks]) : () => false
}

export function callerAddress(request: IncomingMessage, trust: Trust): string {
  // Nobody asks for another one, as for most requests, which need not be looked at further.
  if (request.headers['x-forwarded-for'] === undefined) return request.socket.remoteAddress ?? ''
  return proxyAddr(request, trust) ?? ''
}

/** The protocol by which a caller asks, of which a trusted proxy says the last one that its header names. */
export function protocolOf({ headers, socket }: IncomingMessage, trust: Trust): string {
  const told = headers['x-forwarded-proto']
  if (told && trust(socket.remoteAddress ?? '', 0)) return String(told).split(',').at(-1)!.trim()
  return 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
}
