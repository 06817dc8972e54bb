/** The frame of DNS messages (RFC 1035, 4), as untrusted bytes. */

export const headerBytes = 12

/** The offset after a name that may be compressed; -1 when it is malformed. */
export function skipName(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += bytes[at]! + 1) {
    if (bytes[at] === 0) return at + 1
    if (bytes[at]! >= 0xc0) return at + 2 <= bytes.length ? at + 2 : -1
    if (bytes[at]! > 63) return -1
  }
  return -1
}

/**
 * Reads a name that may be compressed; undefined when it is malformed. Pointers must lead backwards, so reading ends.
 */
export function readName(bytes: Buffer, start: number): string | undefined {
  let name = ''
  let limit = start
  for (let at = start; at < bytes.length; ) {
    const length = bytes[at]!
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | (bytes[at + 1] ?? 0)
      if (at + 1 >= bytes.length || target >= limit) return undefined
      limit = target
      at = target
      continue
    }
    if (length > 63 || at + length + 1 > bytes.length || name.length + length + 1 > 255) return undefined
    name += bytes.toString('latin1', at, at + length + 1)
    if (length === 0) return name
    at += length + 1
  }
  return undefined
}
