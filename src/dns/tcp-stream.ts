/** Messages in a TCP stream, each prefixed with its length in two bytes (RFC 1035, 4.2.2; RFC 7766). */

/** Collects the bytes of a stream and splits them into messages. */
export class MessageStream {
  readonly #maxBytes: number
  #rest: Buffer = Buffer.alloc(0)

  /** `take` throws a RangeError on a message that is longer than `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Yields the messages that these bytes complete. */
  *take(bytes: Buffer): Generator<Buffer> {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    while (this.#rest.length >= 2) {
      const length = this.#rest.readUInt16BE(0)
      if (length > this.#maxBytes) throw new RangeError(`a message of ${length} bytes`)
      if (this.#rest.length < length + 2) return
      const message = this.#rest.subarray(2, length + 2)
      this.#rest = this.#rest.subarray(length + 2)
      yield message
    }
  }
}

/** A message with its length prefix. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
