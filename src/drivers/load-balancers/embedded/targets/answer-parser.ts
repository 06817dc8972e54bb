/**
 * Reads the answers of targets as they come, without I/O. Whatever two programs could read in two ways is refused: it has to
 * be exactly one answer of HTTP/1.0 or 1.1 with one length.
 */

/** The beginning of an answer. */
export interface AnswerHead {
  readonly status: number
  readonly message: string
  /** A flat list: a name, its value, and so on. */
  readonly rawHeaders: string[]
  /** What the headers `Connection` say, in lower case. */
  readonly connection: string | undefined
  /** Whether it says how long its body is. */
  readonly hasLength: boolean
}

/** Gets the parts of one answer in their order. */
export interface AnswerTaker {
  /** The target would like to have the body of the request. */
  onContinue(): void
  /** The target speaks another protocol from here on; it is the last call, and bytes of that protocol may have come already. */
  onSwitch(head: AnswerHead, rest: Buffer): void
  onHead(head: AnswerHead): void
  onData(bytes: Buffer): void
  /** It is the last call. `last` is the end of the body where that came now; trailers are a flat list. */
  onEnd(last: Buffer | undefined, trailers: string[]): void
}

/** What came is not an answer of HTTP. */
export class BadAnswer extends Error {}

/** The most bytes of a head, of trailers, and of a line that announces a chunk. */
const mostHeadBytes = 16_384
/** The most answers before the one that counts, such as `100 Continue`. */
const mostInterim = 32
/** More digits do not fit in a number. */
const mostSizeDigits = 13

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/
/** A value begins with what is no space, so that many spaces are looked at once. */
const headerLine = /^([\w!#$%&'*+.^`|~-]+):[\t ]*((?:[\x21-\x7e\x80-\xff][\t\x20-\x7e\x80-\xff]*)?)$/
/** A size, and extensions that nobody reads: without spaces, as some skip those and others do not. */
const sizeLine = /^([\da-f]+)(?:;[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~-]+|"[\t\x20!#-[\]-~]*"))?)*$/i

type Expected = 'head' | 'sized' | 'open' | 'chunks' | 'afterChunk' | 'trailers' | 'ended'

export class AnswerParser {
  readonly #taker: AnswerTaker
  #isToHead = false
  #state: Expected = 'ended'
  /** What came of a part that is not complete. */
  #held: Buffer | undefined
  /** How many bytes of the body, or of a chunk, are still to come. */
  #missing = 0
  #isOfLastingConnection = false
  #interim = 0

  constructor(taker: AnswerTaker) {
    this.#taker = taker
  }

  /** Expects the answer to a request with a method. */
  begin(method: string): void {
    this.#isToHead = method === 'HEAD'
    this.#state = 'head'
    this.#held = undefined
    this.#missing = 0
    this.#interim = 0
  }

  /** Whether nothing of the answer is to come. */
  get hasEnded(): boolean {
    return this.#state === 'ended'
  }

  /** Whether the target, having answered, waits for another request on the same connection. */
  get isReusable(): boolean {
    return this.hasEnded && this.#isOfLastingConnection && this.#held === undefined
  }

  /** Reads on. Errors: `BadAnswer`. */
  take(bytes: Buffer): void {
    let rest = this.#held ? Buffer.concat([this.#held, bytes]) : bytes
    this.#held = undefined
    while (rest.length > 0) {
      const before = rest.length
      rest = this.#step(rest)
      if (rest.length < before) continue
      this.#held = rest
      return
    }
  }

  /** The target says no more. Errors: `BadAnswer` where something is missing. */
  end(): void {
    if (this.#state === 'open') this.#end(undefined, [])
    else if (!this.hasEnded) throw new BadAnswer()
  }

  /** Nobody wants the rest. */
  stop(): void {
    this.#state = 'ended'
  }

  /** Reads one part and returns what follows it: all of the bytes when the part is not complete. */
  #step(bytes: Buffer): Buffer {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes)
      case 'sized':
        return this.#readSized(bytes)
      case 'open':
        this.#taker.onData(bytes)
        return nothing
      case 'chunks':
        return this.#readChunks(bytes)
      case 'afterChunk':
        return this.#readAfterChunk(bytes)
      case 'trailers':
        return this.#readTrailers(bytes)
      case 'ended':
        return bytes
    }
  }

  #readHead(bytes: Buffer): Buffer {
    const end = endOf(bytes, '\r\n\r\n')
    if (end < 0) return bytes
    const rest = bytes.subarray(end + 4)
    const { head, version, framing } = parseHead(bytes.toString('latin1', 0, end))
    if (head.status === 101) {
      this.#state = 'ended'
      this.#taker.onSwitch(head, rest)
      return nothing
    }
    if (head.status < 200) {
      if (++this.#interim > mostInterim) throw new BadAnswer()
      if (head.status === 100) this.#taker.onContinue()
      return rest
    }
    this.#begin(head, version, framing)
    return rest
  }

  #begin(head: AnswerHead, version: string, { length, isChunked }: Framing): void {
    const hasNoBody = this.#isToHead || head.status === 204 || head.status === 304 || length === 0
    this.#state = hasNoBody ? 'ended' : isChunked ? 'chunks' : length === undefined ? 'open' : 'sized'
    this.#missing = length ?? 0
    const wishes = head.connection?.split(/[\t ,]+/) ?? []
    const isClosing = wishes.includes('close')
    const isKept = version === '1' ? !isClosing : wishes.includes('keep-alive') && !isChunked
    this.#isOfLastingConnection = isKept && !isClosing && this.#state !== 'open'
    this.#taker.onHead(head)
    if (hasNoBody) this.#taker.onEnd(undefined, [])
  }

  #readSized(bytes: Buffer): Buffer {
    const piece = bytes.subarray(0, this.#missing)
    this.#missing -= piece.length
    if (this.#missing === 0) this.#end(piece, [])
    else this.#taker.onData(piece)
    return bytes.subarray(piece.length)
  }

  #readChunks(bytes: Buffer): Buffer {
    if (this.#missing > 0) {
      const piece = bytes.subarray(0, this.#missing)
      this.#missing -= piece.length
      if (this.#missing === 0) this.#become('afterChunk')
      this.#taker.onData(piece)
      return bytes.subarray(piece.length)
    }
    const end = endOf(bytes, '\r\n')
    if (end < 0) return bytes
    const [, digits] = sizeLine.exec(bytes.toString('latin1', 0, end)) ?? []
    if (digits === undefined || digits.length > mostSizeDigits) throw new BadAnswer()
    this.#missing = Number.parseInt(digits, 16)
    if (this.#missing === 0) this.#become('trailers')
    return bytes.subarray(end + 2)
  }

  #readAfterChunk(bytes: Buffer): Buffer {
    if (bytes.length < 2) return bytes
    if (bytes[0] !== carriageReturn || bytes[1] !== lineFeed) throw new BadAnswer()
    this.#become('chunks')
    return bytes.subarray(2)
  }

  #readTrailers(bytes: Buffer): Buffer {
    if (bytes[0] === carriageReturn && bytes[1] === lineFeed) {
      this.#end(undefined, [])
      return bytes.subarray(2)
    }
    const end = endOf(bytes, '\r\n\r\n')
    if (end < 0) return bytes
    const trailers = parseHeaders(bytes.toString('latin1', 0, end).split('\r\n'))
    // A length that comes now is another one.
    if (hasFraming(trailers)) throw new BadAnswer()
    this.#end(undefined, trailers)
    return bytes.subarray(end + 4)
  }

  #become(state: Expected): void {
    // Whoever takes the answer may have stopped.
    if (this.#state !== 'ended') this.#state = state
  }

  #end(last: Buffer | undefined, trailers: string[]): void {
    this.#state = 'ended'
    this.#taker.onEnd(last, trailers)
  }
}

const nothing = Buffer.alloc(0)
const [carriageReturn, lineFeed] = [13, 10]

/** Where a part ends; -1 when more of it may come. Errors: `BadAnswer` when it is too long. */
function endOf(bytes: Buffer, mark: string): number {
  const end = bytes.indexOf(mark, 0, 'latin1')
  if ((end < 0 ? bytes.length : end) > mostHeadBytes) throw new BadAnswer()
  return end
}

interface Framing {
  readonly length: number | undefined
  readonly isChunked: boolean
}

function parseHead(text: string): { head: AnswerHead; version: string; framing: Framing } {
  const [first, ...lines] = text.split('\r\n')
  const [, version, status, message = ''] = statusLine.exec(first!) ?? []
  if (version === undefined) throw new BadAnswer()
  const rawHeaders = parseHeaders(lines)
  const framing = framingIn(rawHeaders)
  const connection = valuesOf(rawHeaders, 'connection')
  const hasLength = framing.length !== undefined
  const head = { status: Number(status), message, rawHeaders, connection: connection?.toLowerCase(), hasLength }
  return { head, version, framing }
}

function parseHeaders(lines: readonly string[]): string[] {
  const headers: string[] = []
  for (const line of lines) {
    const found = headerLine.exec(line)
    if (!found) throw new BadAnswer()
    headers.push(found[1]!, withoutSpacesAfter(found[2]!))
  }
  return headers
}

/** Spaces and tabs alone are no part of a value; other bytes are, whatever JavaScript takes for a space. */
function withoutSpacesAfter(value: string): string {
  let end = value.length
  while (end > 0 && (value[end - 1] === ' ' || value[end - 1] === '\t')) end--
  return value.slice(0, end)
}

/** One length, or chunks: nothing else, and nothing twice. */
function framingIn(rawHeaders: readonly string[]): Framing {
  const length = valuesOf(rawHeaders, 'content-length')
  const coding = valuesOf(rawHeaders, 'transfer-encoding')
  if (coding !== undefined) {
    if (length !== undefined || coding.toLowerCase() !== 'chunked') throw new BadAnswer()
    return { length: undefined, isChunked: true }
  }
  if (length === undefined) return { length, isChunked: false }
  if (!/^\d{1,15}$/.test(length)) throw new BadAnswer()
  return { length: Number(length), isChunked: false }
}

const hasFraming = (headers: readonly string[]) =>
  ['content-length', 'transfer-encoding'].some((name) => valuesOf(headers, name) !== undefined)

/** The values of all headers of a name; undefined without one. */
function valuesOf(rawHeaders: readonly string[], name: string): string | undefined {
  let values: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const one = rawHeaders[at]!
    if (one.length !== name.length || one.toLowerCase() !== name) continue
    values = values === undefined ? rawHeaders[at + 1]! : `${values}, ${rawHeaders[at + 1]!}`
  }
  return values
}
