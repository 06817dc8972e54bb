/** Finds the JSON objects in a stream that has nothing between them (RFC 7047, section 4). */

const quote = 0x22
const backslash = 0x5c
const open = 0x7b
const close = 0x7d

/** Takes the stream in pieces of any size and hands out every object as soon as it is complete. */
export class Framing {
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #size = 0
  #depth = 0
  #isText = false
  #isEscaped = false

  /** `maxBytes` limits one object. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The objects that end in this piece. Errors: one when the stream is no JSON, or an object is too large. */
  take(piece: Buffer): unknown[] {
    const objects: unknown[] = []
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      if (!this.#endsObject(piece[at]!)) continue
      objects.push(this.#finish(piece.subarray(from, at + 1)))
      from = at + 1
    }
    this.#keep(piece.subarray(from))
    return objects
  }

  /** Multi-byte characters hold none of the bytes that are looked for. */
  #endsObject(byte: number): boolean {
    if (this.#isEscaped) this.#isEscaped = false
    else if (this.#isText) {
      if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.#isText = false
    } else if (byte === quote) this.#isText = true
    else if (byte === open) this.#depth++
    else if (byte === close) return --this.#depth === 0
    return false
  }

  #keep(rest: Buffer): void {
    if (rest.length === 0) return
    this.#size += rest.length
    if (this.#size > this.#maxBytes) throw new RangeError(`a message has more than ${this.#maxBytes} bytes`)
    this.#pieces.push(rest)
  }

  #finish(end: Buffer): unknown {
    const text = Buffer.concat([...this.#pieces, end]).toString()
    this.#pieces = []
    this.#size = 0
    return JSON.parse(text)
  }
}
