/** Configurations of Encrypted Client Hello, as the parameter `ech` of HTTPS and SVCB records has them (RFC 9849, 4). */

/** The version whose contents are known; clients pass over all others by their length. */
const knownVersion = 0xfe0d

/** Bytes that are read from the front. A read beyond the end makes it invalid, and gives nothing. */
class Reader {
  readonly #bytes: Buffer
  #at = 0
  isValid = true

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  number(size: 1 | 2): number {
    const bytes = this.#take(size)
    return size === 1 ? (bytes[0] ?? 0) : (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  }

  /** A vector with its length in front, which is from `least` bytes on. */
  vector(size: 1 | 2, least: number): Buffer {
    const bytes = this.#take(this.number(size))
    if (bytes.length < least) this.isValid = false
    return bytes
  }

  #take(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#bytes.length) this.isValid = false
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = Math.min(end, this.#bytes.length)
    return bytes
  }
}

/** Tells whether bytes are an ECHConfigList: configurations that fill the length in front of them, one at least. */
export function isEchConfigList(bytes: Buffer): boolean {
  const outer = new Reader(bytes)
  const configs = new Reader(outer.vector(2, 4))
  while (outer.isValid && configs.isValid && !configs.isAtEnd) {
    const version = configs.number(2)
    const contents = configs.vector(2, 0)
    if (version === knownVersion && !isContents(contents)) return false
  }
  return outer.isValid && outer.isAtEnd && configs.isValid
}

/** A key with its cipher suites, the longest name that it hides, the name that is shown instead, and extensions. */
function isContents(bytes: Buffer): boolean {
  const reader = new Reader(bytes)
  reader.number(1)
  reader.number(2)
  reader.vector(2, 1)
  const suites = reader.vector(2, 4)
  reader.number(1)
  reader.vector(1, 1)
  const extensions = new Reader(reader.vector(2, 0))
  while (extensions.isValid && !extensions.isAtEnd) {
    extensions.number(2)
    extensions.vector(2, 0)
  }
  return reader.isValid && reader.isAtEnd && suites.length % 4 === 0 && extensions.isValid
}
