/** The address that a server listens on. */
import type { AddressInfo, Server } from 'node:net'

export interface ListenAddress {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** The socket that is bound to it already. */
  readonly bound?: BoundSocket
}

/** File descriptors of what was bound by whoever has started this process. */
export interface BoundSocket {
  readonly stream: number
  readonly datagram?: number
}

/** The options with which a server of Node.js listens; a file descriptor goes before the address. */
export function listenOptions({ host, port, bound }: ListenAddress): { host: string; port: number; fd?: number } {
  return { host, port, ...(bound ? { fd: bound.stream } : {}) }
}

/** Returns the address with the port that a server has got. */
export function listeningAt(server: Pick<Server, 'address'>, { host }: ListenAddress): ListenAddress {
  return { host, port: (server.address() as AddressInfo).port }
}

/** Returns where a process of the same machine reaches a listener: that of any interface is also at the machine itself. */
export function reachedAt(at: ListenAddress): ListenAddress {
  const { host } = at
  return { ...at, host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host }
}

/** Formats an address as in a URL: an IPv6 address is in brackets. */
export function hostAndPort({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
