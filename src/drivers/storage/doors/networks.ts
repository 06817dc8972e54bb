/** Callers are counted by their networks, as one of them may have many addresses. */
import { bytesOfAddress, textOfAddress } from '../../../protocols/net/address-bytes.ts'

/** The network that a caller shares with others who are probably he: /24 of IPv4 and /64 of IPv6. */
export function networkOf(address: string): string {
  const bytes = bytesOfAddress(plainOf(address))
  return bytes ? textOfAddress(bytes.fill(0, bytes.length === 4 ? 3 : 8)) : address
}

/** The caller as whom others can hardly come: an IPv4 address, and the /64 of an IPv6 one. */
export function callerOf(address: string): string {
  const plain = plainOf(address)
  return plain.includes(':') ? networkOf(plain) : plain
}

/** Tells whether an address is one of this machine or of a private network, as those of the cloud itself are. */
export function isInternal(address: string): boolean {
  return /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|fe80:)/i.test(
    plainOf(address),
  )
}

/** An address without the zone of a link, and one of IPv4 as such where a socket of IPv6 has taken it. */
function plainOf(address: string): string {
  const [plain = ''] = address.split('%')
  return plain.startsWith('::ffff:') && plain.includes('.') ? plain.slice(7) : plain
}
