/** Where programs find the API that this page came from. */

/**
 * The origin for commands. Browsers find `*.localhost` on their own machine by themselves; most programs ask a name
 * server, which knows no such name. A name with TLS stays, because the certificate is for it.
 */
export function originForPrograms({ protocol, hostname, port, origin }: Origin): string {
  return protocol === 'http:' && hostname.endsWith('.localhost') ? `http://127.0.0.1${port && `:${port}`}` : origin
}

type Origin = Pick<URL, 'protocol' | 'hostname' | 'port' | 'origin'>
