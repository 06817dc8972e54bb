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
  /** Whether the entry begins with a space and so has the owner of the previous one. */
  readonly isIndented: boolean
  /** The text after a `;` outside of parentheses; undefined without a comment. */
  readonly comment: string | undefined
}

/** What is wrong with a text, for those who word it themselves. */
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

// Spaces; a comment; a parenthesis; the end of a line; a quoted string, or a word that may contain quoted parts.
const lexeme =
  /([ \t]+)|;([^\n]*)|([()])|(\r?\n)|("(?:[^"\\\n]|\\[^\n])*"|(?:[^ \t\r\n;()"\\]|\\[^\n])(?:[^ \t\r\n;()"\\]|\\[^\n]|"(?:[^"\\\n]|\\[^\n])*")*)|[\s\S]/gu

/** The maximum number of words, spaces and parentheses in an entry, because readers yield only between entries. */
const mostPieces = 10_000

/** Parses the entries of a zone file, including empty lines. Throws {@link Malformed}. */
export function* readEntries(text: string): Generator<Entry> {
  let line = 1
  let depth = 0
  let entry = emptyEntry(line)
  let pieces = 0
  for (const [whole, space, comment, parenthesis, end, word] of text.matchAll(lexeme)) {
    if (++pieces > mostPieces) throw new Malformed(line, 'is too long', { kind: 'long' })
    if (space !== undefined) entry.isIndented ||= entry.isAtStart
    else if (comment !== undefined) entry.comment = depth === 0 ? comment.replace(/^ |\r$/g, '') : entry.comment
    else if (parenthesis !== undefined) {
      depth += parenthesis === '(' ? 1 : -1
      if (depth < 0 || depth > 1)
        throw new Malformed(line, `has a '${parenthesis}' too many`, { kind: 'parenthesis', what: parenthesis })
    } else if (end !== undefined) {
      line++
      if (depth === 0) {
        yield entry
        entry = emptyEntry(line)
        pieces = 0
        continue
      }
    } else if (word !== undefined) entry.tokens.push(toToken(word))
    else if (whole === '"') throw new Malformed(line, 'has a quote that is not closed', { kind: 'quote' })
    else throw new Malformed(line, 'has a character that is not allowed', { kind: 'character' })
    entry.isAtStart = false
  }
  if (depth > 0) throw new Malformed(line, "has a '(' that is not closed", { kind: 'parenthesis', what: '(' })
  yield entry
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
  return { text: source.replace(/\\.|"/gsu, (piece) => (piece === '"' ? '' : piece)), isQuoted, source }
}

/** The words of one record value; undefined unless it is a single line without comments. Throws {@link Malformed}. */
export function readWords(text: string): readonly Token[] | undefined {
  if (/[\r\n]/.test(text)) return undefined
  const [entry, another] = [...readEntries(text)]
  if (!entry || another || entry.comment !== undefined) return undefined
  return entry.tokens
}
