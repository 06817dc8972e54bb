/** Where a server listens. */

export interface ListenAddress {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** As in a URL: an IPv6 address stands in brackets. */
export function hostAndPort({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
