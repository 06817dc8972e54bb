/** Bytes that requests bring and take along, which are never all in memory. */

/** A file as the reply of an endpoint that sends bytes. A request may ask for a range of it. */
export interface Download {
  /** The name under which a browser keeps it. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modified: number
  /** The bytes from `start`, `end` excluded. */
  open(start: number, end: number): AsyncGenerator<Buffer>
}

/** A part of something, `end` excluded. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The range that a header asks for (RFC 9110, 14.2). Undefined for all of it: without a header, with one of several ranges, or with
 * one that means nothing; null for one that has nothing of it.
 */
export function rangeIn(header: string | undefined, size: number): ByteRange | undefined | null {
  const [found, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (found === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? null : { start: size - length, end: size }
  }
  const [start, end] = [Number(first), last === '' ? size : Math.min(Number(last) + 1, size)]
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? null : { start, end }
}
