/** The address that a server listens on. */

export interface ListenAddress {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
}

/** Formats an address as in a URL: an IPv6 address is in brackets. */
export function hostAndPort({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
