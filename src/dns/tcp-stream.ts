/** Messages in a TCP stream, each prefixed with its length in two bytes (RFC 1035, 4.2.2; RFC 7766). */

const prefixBytes = 2

/** Collects the bytes of a stream and splits them into messages. */
export class MessageStream {
  readonly #maxBytes: number
  /** The parts received of the next message; they are joined once it is complete. */
  #parts: Buffer[] = []
  #length = 0
  /** The number of bytes the next step needs. */
  #needed = prefixBytes

  /** `take` throws a RangeError on a message that is longer than `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** True while no byte of a further message has arrived. */
  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** Yields the messages that these bytes complete. */
  *take(bytes: Buffer): Generator<Buffer> {
    this.#parts.push(bytes)
    this.#length += bytes.length
    while (this.#length >= this.#needed) {
      const all = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
      const length = all.readUInt16BE(0)
      if (length > this.#maxBytes) throw new RangeError(`a message of ${length} bytes`)
      const end = prefixBytes + length
      const isWhole = all.length >= end
      const rest = isWhole ? all.subarray(end) : all
      this.#parts = [rest]
      this.#length = rest.length
      this.#needed = isWhole ? prefixBytes : end
      if (isWhole) yield all.subarray(prefixBytes, end)
    }
  }
}

/** A message with its length prefix. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
