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
  return proxyAddr(request, trust) ?? ''
}
