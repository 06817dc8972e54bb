/** Headers of the PROXY protocol, version 2, which tell targets where a connection comes from. */
import ipaddr from 'ipaddr.js'

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
const fromItself = 0x20
const fromClient = 0x21
const tcpOver = { ipv4: 0x11, ipv6: 0x21 } as const

/** The two ends of a connection, as a socket has them. */
export interface Ends {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

/** Says that the balancer itself connects, as health checks do. */
export const ownHeader: Buffer = Buffer.concat([signature, Buffer.from([fromItself, 0, 0, 0])])

/** Says who connected to whom. A connection that has ended has no addresses any more, and gets the header of checks. */
export function headerOf({ remoteAddress, remotePort, localAddress, localPort }: Ends): Buffer {
  if (!remoteAddress || !localAddress || !remotePort || !localPort) return ownHeader
  const source = ipaddr.process(remoteAddress)
  const destination = ipaddr.process(localAddress)
  if (source.kind() !== destination.kind()) return ownHeader
  const addresses = [...source.toByteArray(), ...destination.toByteArray()]
  const ports = [remotePort, localPort].flatMap((port) => [port >> 8, port & 0xff])
  const length = addresses.length + ports.length
  return Buffer.concat([
    signature,
    Buffer.from([fromClient, tcpOver[source.kind()], length >> 8, length & 0xff, ...addresses, ...ports]),
  ])
}
