/** Callers are counted by their networks, as one of them may have many addresses. */

/** The network that a caller shares with others who are probably he: /24 of IPv4 and /64 of IPv6. */
export function networkOf(address: string): string {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address
  if (plain.includes('.')) return plain.split('.').slice(0, 3).join('.')
  return plain.split(':').slice(0, 4).join(':')
}

/** The caller as whom others can hardly come: an IPv4 address, and the /64 of an IPv6 one. */
export function callerOf(address: string): string {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address
  return plain.includes('.') ? plain : networkOf(plain)
}

/** Tells whether an address is one of this machine or of a private network, as those of the cloud itself are. */
export function isInternal(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address
  return /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|fe80:)/i.test(plain)
}
