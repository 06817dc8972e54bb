/** The words of zone files and record values: quoting, escapes, comments, parentheses (RFC 1035, 5.1). */

export interface Token {
  /** The text without its quotes; escapes are kept. */
  readonly text: string
  readonly isQuoted: boolean
  /** The text with its quotes. */
  readonly source: string
}

/** One entry of a zone file: a line, or several lines joined by parentheses. */
export interface Entry {
  /** The number of the first line, from 1. */
  readonly line: number
  readonly tokens: readonly Token[]
  /** True when the entry begins with a space and so has the owner of the previous one. */
  readonly isIndented: boolean
  /** The text after a `;` outside of parentheses; undefined without a comment. */
  readonly comment: string | undefined
}

/** A kind of fault, for callers that word it themselves. */
export type MalformedKind =
  | 'character'
  | 'comment'
  | 'directive'
  | 'long'
  | 'ownerless'
  | 'typeless'
  | 'origin'
  | 'outside'
  | 'owner'
  | 'parenthesis'
  | 'quote'
  | 'set'
  | 'together'
  | 'ttl'
  | 'type'
  | 'unsupported'
  | 'value'

interface Reason {
  readonly kind: MalformedKind
  /** The part that it is about, as it is spelled. */
  readonly what?: string
  /** The details of the fault, where its kind does not say all. */
  readonly why?: string
}

/** The message completes a sentence that begins with "the text". */
export class Malformed extends Error {
  readonly line: number
  readonly reason: Reason

  constructor(line: number, message: string, reason: Reason = { kind: 'value' }) {
    super(message)
    this.line = line
    this.reason = reason
  }
}

/** The maximum number of words, spaces and parentheses in an entry, because readers yield only between entries. */
const mostPieces = 10_000
/**
 * The maximum number of characters in an entry without its comments: 65,535 bytes of data, each of which takes four
 * characters at most, and as much again as one of four for names, quotes and spaces.
 */
const mostCharacters = 5 * 65_535

const longest = `it can have ${mostPieces} words and spaces, and ${mostCharacters} characters`
const tooLong = (line: number) => new Malformed(line, `is too long: ${longest}`, { kind: 'long', why: longest })

const codes = { tab: 0x09, newline: 0x0a, return: 0x0d, space: 0x20, quote: 0x22, open: 0x28, close: 0x29 } as const
const [semicolon, backslash] = [0x3b, 0x5c]

/** Parses the entries of a zone file, including empty lines. Throws {@link Malformed}. */
export function* readEntries(text: string): Generator<Entry> {
  let line = 1
  let isWithin = false
  let entry = emptyEntry(line)
  let pieces = 0
  /** The last position of the entry's end. */
  let limit = mostCharacters
  for (let at = 0; at < text.length; ) {
    if (++pieces > mostPieces) throw tooLong(line)
    const code = text.charCodeAt(at)
    const start = at
    if (code === codes.space || code === codes.tab) {
      at = endOfSpace(text, at, limit)
      entry.isIndented ||= entry.isAtStart
    } else if (code === semicolon) {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end
      limit += at - start
      if (!isWithin) entry.comment = commentIn(text.slice(start + 1, at))
    } else if (code === codes.open || code === codes.close) {
      const parenthesis = text[at++]!
      if (isWithin === (code === codes.open))
        throw new Malformed(line, `has a '${parenthesis}' too many`, { kind: 'parenthesis', what: parenthesis })
      isWithin = !isWithin
    } else if (code === codes.newline || text.startsWith('\r\n', at)) {
      at += code === codes.newline ? 1 : 2
      line++
      if (!isWithin) {
        yield entry
        entry = emptyEntry(line)
        pieces = 0
        limit = at + mostCharacters
        continue
      }
    } else {
      at = endOfWord(text, at, limit, line)
      entry.tokens.push(toToken(text.slice(start, at)))
    }
    if (at > limit) throw tooLong(line)
    entry.isAtStart = false
  }
  if (isWithin) throw new Malformed(line, "has a '(' that is not closed", { kind: 'parenthesis', what: '(' })
  yield entry
}

function endOfSpace(text: string, start: number, limit: number): number {
  let at = start
  while (at <= limit && (text.charCodeAt(at) === codes.space || text.charCodeAt(at) === codes.tab)) at++
  return at
}

/** A comment without the space that it begins with. */
function commentIn(text: string): string {
  return text.slice(text.startsWith(' ') ? 1 : 0, text.endsWith('\r') ? -1 : undefined)
}

/**
 * Returns the end of the word that begins at `start`: a quoted string, or one that may contain quoted parts. Looks no
 * further than `limit`.
 */
function endOfWord(text: string, start: number, limit: number, line: number): number {
  const isString = text.charCodeAt(start) === codes.quote
  let isQuoted = false
  for (let at = start; ; at++) {
    if (at > limit) throw tooLong(line)
    let code = text.charCodeAt(at)
    const isEscape = code === backslash
    if (isEscape) code = text.charCodeAt(++at)
    const isEnd = Number.isNaN(code) || code === codes.newline
    if (isEnd && isQuoted) throw new Malformed(line, 'has a quote that is not closed', { kind: 'quote' })
    if (isEnd && isEscape) throw new Malformed(line, 'has a character that is not allowed', { kind: 'character' })
    if (isEscape) continue
    if (code === codes.quote) {
      if (isString && isQuoted) return at + 1
      isQuoted = !isQuoted
    } else if (isEnd || (!isQuoted && isDelimiter(code))) {
      // A carriage return without a line feed begins no word and is nothing else.
      if (at === start) throw new Malformed(line, 'has a character that is not allowed', { kind: 'character' })
      return at
    }
  }
}

function isDelimiter(code: number): boolean {
  return code <= codes.space
    ? code === codes.space || code === codes.tab || code === codes.return
    : code === semicolon || code === codes.open || code === codes.close
}

function emptyEntry(line: number) {
  return {
    line,
    tokens: [] as Token[],
    isIndented: false,
    isAtStart: true,
    comment: undefined as string | undefined,
  }
}

function toToken(source: string): Token {
  const isQuoted = source.startsWith('"')
  if (!source.includes('"')) return { text: source, isQuoted, source }
  return { text: isQuoted ? source.slice(1, -1) : withoutQuotes(source), isQuoted, source }
}

/** A word without the quotes in it, of which those that are escaped stay. */
function withoutQuotes(source: string): string {
  let text = ''
  let start = 0
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at)
    if (code === backslash) at++
    else if (code === codes.quote) {
      text += source.slice(start, at)
      start = at + 1
    }
  }
  return text + source.slice(start)
}

/** The words of one record value; undefined unless it is a single line without comments. Throws {@link Malformed}. */
export function readWords(text: string): readonly Token[] | undefined {
  if (/[\r\n]/.test(text)) return undefined
  const [entry, another] = [...readEntries(text)]
  if (!entry || another || entry.comment !== undefined) return undefined
  return entry.tokens
}
