/**
 * A minimal DER (X.690) reader that inspects untrusted keys before a library computes with them: it checks that lengths
 * fit and how large numbers are, and decodes nothing else.
 */

/** One element: its tag and its content. */
export interface Der {
  readonly tag: number
  readonly content: Buffer
}

export const tags = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  sequence: 0x30,
  shortTime: 0x17,
  time: 0x18,
  dnsName: 0x82,
  /** Context-specific tags of optional fields: [0] and [3]. */
  first: 0xa0,
  fourth: 0xa3,
} as const

/** The bytes are not DER, or not of the expected structure. */
export class NotDer extends Error {}

/** Splits bytes into consecutive elements. Throws `NotDer` unless the elements fill the bytes. */
export function readAll(bytes: Buffer): Der[] {
  const found: Der[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at]!
    const { start, length } = readLength(bytes, at + 1)
    if ((tag & 0x1f) === 0x1f || start + length > bytes.length) throw new NotDer()
    found.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return found
}

function readLength(bytes: Buffer, at: number): { start: number; length: number } {
  const first = bytes[at] ?? 0x80
  if (first < 0x80) return { start: at + 1, length: first }
  const count = first & 0x7f
  if (count === 0 || count > 3 || at + 1 + count > bytes.length) throw new NotDer()
  return { start: at + 1 + count, length: bytes.readUIntBE(at + 1, count) }
}

/** The elements within a constructed element. Throws `NotDer` when the element has another tag. */
export function partsOf(element: Der | undefined, tag: number = tags.sequence): Der[] {
  return readAll(contentOf(element, tag))
}

/** The content of an element. Throws `NotDer` when the element has another tag. */
export function contentOf(element: Der | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new NotDer()
  return element.content
}

/** The length in bits of a non-negative integer. Throws `NotDer` for anything else. */
export function bitsOf(element: Der | undefined): number {
  const content = contentOf(element, tags.integer)
  const first = content.findIndex((byte) => byte !== 0)
  if (content.length === 0 || content[0]! >= 0x80) throw new NotDer()
  return first === -1 ? 0 : (content.length - first - 1) * 8 + (32 - Math.clz32(content[first]!))
}
