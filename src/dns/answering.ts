/** The sockets of the name server get their answers through this interface. */

/** Produces the answers to messages; undefined sends no answer. */
export interface Answering {
  udp(bytes: Buffer, address: string): Buffer | undefined | Promise<Buffer | undefined>
  /** Yields a single answer, or all messages of a zone transfer. */
  tcp(bytes: Buffer, address: string): AsyncIterable<Buffer>
}

/** Turns an IPv4-mapped IPv6 address, as a dual-stack socket reports it, into the IPv4 address. */
export const unmapped = (address: string) =>
  address.startsWith('::ffff:') ? address.replace(/^::ffff:(?=\d+\.)/, '') : address
