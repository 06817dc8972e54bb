/**
 * A JSON parser that yields, for bodies that JSON.parse would take too long for at once. What it accepts and makes of it
 * is what JSON.parse does: that parses every number, every word and every piece of a string.
 */
import { backslash, pieceBytes, quote } from './json-bounds.ts'

const whiteSpace = new Set(Buffer.from(' \t\r\n'))
const delimiters = new Set([...whiteSpace, ...Buffer.from(',:[]{}"')])
const letterU = 0x75

/** Yields after each piece, and returns the value. Throws SyntaxError. The bytes are UTF-8 within the bounds of JSON. */
export function readJsonInTurns(bytes: Buffer): Generator<void, unknown> {
  return new Reader(bytes).read()
}

/** The cost of a value besides its bytes. */
const valueBytes = 64

class Reader {
  readonly #bytes: Buffer
  #at = 0
  /** The end of the current piece. */
  #end = pieceBytes

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  *read(): Generator<void, unknown> {
    const value = yield* this.#value()
    if (this.#next() !== undefined) throw this.#unexpected()
    return value
  }

  *#value(): Generator<void, unknown> {
    this.#end -= valueBytes
    if (this.#at >= this.#end) yield this.#begin()
    switch (this.#next()) {
      case '{':
        return yield* this.#object()
      case '[':
        return yield* this.#array()
      case '"':
        return yield* this.#text()
      default:
        return this.#word()
    }
  }

  *#object(): Generator<void, object> {
    const members: [string, unknown][] = []
    this.#at++
    if (this.#take('}')) return {}
    for (;;) {
      if (this.#next() !== '"') throw this.#unexpected()
      const key = yield* this.#text()
      if (!this.#take(':')) throw this.#unexpected()
      members.push([key, yield* this.#value()])
      if (this.#take('}')) return Object.fromEntries(members)
      if (!this.#take(',')) throw this.#unexpected()
    }
  }

  *#array(): Generator<void, unknown[]> {
    const array: unknown[] = []
    this.#at++
    if (this.#take(']')) return array
    for (;;) {
      array.push(yield* this.#value())
      if (this.#take(']')) return array
      if (!this.#take(',')) throw this.#unexpected()
    }
  }

  /** Reads a string in pieces that end between two characters. */
  *#text(): Generator<void, string> {
    const bytes = this.#bytes
    let text = ''
    let start = ++this.#at
    while (bytes[this.#at] !== quote) {
      if (this.#at >= bytes.length) throw this.#unexpected()
      if (this.#at >= this.#end && (bytes[this.#at]! & 0xc0) !== 0x80) {
        text += this.#piece(start)
        start = this.#at
        yield this.#begin()
      }
      this.#at += bytes[this.#at] !== backslash ? 1 : bytes[this.#at + 1] === letterU ? 6 : 2
    }
    text += this.#piece(start)
    this.#at++
    return text
  }

  #piece(start: number): string {
    return JSON.parse(`"${this.#bytes.toString('utf8', start, this.#at)}"`)
  }

  /** Reads a number, true, false or null. */
  #word(): unknown {
    const start = this.#at
    while (this.#at < this.#bytes.length && !delimiters.has(this.#bytes[this.#at]!)) this.#at++
    return JSON.parse(this.#bytes.toString('utf8', start, this.#at))
  }

  /** The next character that is no white space; undefined at the end. */
  #next(): string | undefined {
    while (whiteSpace.has(this.#bytes[this.#at]!)) this.#at++
    return this.#at < this.#bytes.length ? String.fromCharCode(this.#bytes[this.#at]!) : undefined
  }

  #take(char: string): boolean {
    const isNext = this.#next() === char
    if (isNext) this.#at++
    return isNext
  }

  #begin(): void {
    this.#end = this.#at + pieceBytes
  }

  #unexpected(): SyntaxError {
    return new SyntaxError(`unexpected token at position ${this.#at}`)
  }
}
