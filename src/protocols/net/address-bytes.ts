/**
 * Addresses as bytes and as text. Both are read and written in one pass, because a single record can have thousands of
 * them. It takes no function of Node, so that browsers can read addresses as well.
 */

const [zero, nine, colon, dot] = [0x30, 0x39, 0x3a, 0x2e]

/**
 * The 4 or 16 bytes of an address; undefined for what is none. IPv4 must be four decimal octets without leading zeros;
 * IPv6 may end with an IPv4 part; zone ids are refused.
 */
export function bytesOfAddress(text: string): Uint8Array | undefined {
  if (text.includes(':')) return bytesOfIpv6(text)
  const bytes = new Uint8Array(4)
  return writeIpv4(text, bytes) ? bytes : undefined
}

/** Writes the bytes of an IPv4 address to a place, from `start` in its text. Returns false for what is none. */
export function writeIpv4(text: string, bytes: Uint8Array, place = 0, start = 0): boolean {
  let [count, value, digits] = [0, 0, 0]
  for (let at = start; at <= text.length; at++) {
    const code = at === text.length ? dot : text.charCodeAt(at)
    if (code === dot) {
      if (digits === 0 || value > 255 || count === 4) return false
      bytes[place + count++] = value
      ;[value, digits] = [0, 0]
    } else if (code >= zero && code <= nine && digits < 3 && (digits === 0 || value > 0)) {
      value = value * 10 + code - zero
      digits++
    } else return false
  }
  return count === 4
}

const longest = 16

/** Reads eight groups, of which `::` stands for one or more. */
function bytesOfIpv6(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(longest)
  /** The bytes so far, and those of them that stand before `::`. */
  let [count, before] = [0, -1]
  let at = 0
  if (text.startsWith('::')) [before, at] = [0, 2]
  while (at < text.length) {
    const { value, end } = readGroup(text, at)
    if (text.charCodeAt(end) === dot) {
      if (count > longest - 4 || !writeIpv4(text, bytes, count, at)) return undefined
      count += 4
      break
    }
    if (end === at || end - at > 4 || count === longest) return undefined
    bytes[count++] = value >> 8
    bytes[count++] = value & 0xff
    if (end === text.length) break
    if (text.charCodeAt(end) !== colon || end + 1 === text.length) return undefined
    at = end + 1
    if (text.charCodeAt(at) !== colon) continue
    if (before !== -1) return undefined
    before = count
    at++
  }
  return before === -1 ? (count === longest ? bytes : undefined) : spread(bytes, count, before)
}

/** Reads hexadecimal digits, of which five are already too many. */
function readGroup(text: string, start: number): { value: number; end: number } {
  let [value, end] = [0, start]
  for (; end < start + 5; end++) {
    const digit = hexDigit(text.charCodeAt(end))
    if (digit === -1) break
    value = value * 16 + digit
  }
  return { value, end }
}

function hexDigit(code: number): number {
  if (code >= zero && code <= nine) return code - zero
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** Moves what stands behind `::` to the end. */
function spread(bytes: Uint8Array, count: number, before: number): Uint8Array | undefined {
  if (count > longest - 2) return undefined
  const after = longest - (count - before)
  bytes.copyWithin(after, before, count)
  return bytes.fill(0, before, after)
}

/** The canonical text of an address of 4 or 16 bytes: lower case, IPv6 compressed (RFC 5952, 4). */
export function textOfAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`
  const [first, end] = longestZeros(bytes)
  let text = ''
  for (let at = 0; at < longest; at += 2) {
    if (at === first) text += at === 0 ? '::' : ':'
    if (at >= first && at < end) continue
    text += ((bytes[at]! << 8) | bytes[at + 1]!).toString(16)
    if (at < longest - 2) text += ':'
  }
  return text
}

/** Returns the bounds of the first of the longest runs of two or more groups of zero, in bytes. */
function longestZeros(bytes: Uint8Array): readonly [first: number, end: number] {
  let [first, end] = [longest, longest + 2]
  let [best, start] = [2, 0]
  for (let at = 0; at <= longest; at += 2) {
    if (at < longest && bytes[at] === 0 && bytes[at + 1] === 0) continue
    if (at - start > best) [best, first, end] = [at - start, start, at]
    start = at + 2
  }
  return [first, end]
}
