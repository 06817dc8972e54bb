/** Hardware addresses that follow from ids: a server that is made again has the same ones, and nobody has to keep them. */

/** The hardware address of a server's public interface, which is locally administered. */
export function publicMac(server: number): string {
  const digits = server.toString(16).padStart(10, '0').slice(-10)
  return ['96', ...digits.match(/../g)!].join(':')
}
