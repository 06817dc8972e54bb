/** Words of zone files and of record values: quoting, escapes, comments, parentheses (RFC 1035, 5.1). Pure. */

export interface Token {
  /** What stands there, without its quotes; escapes are still in it. */
  readonly text: string
  readonly isQuoted: boolean
  /** What stands there, with its quotes. */
  readonly source: string
}

/** One entry of a zone file: a line, or several that parentheses join. */
export interface Entry {
  /** Number of its first line, from 1. */
  readonly line: number
  readonly tokens: readonly Token[]
  /** Whether it begins with a space, so that the owner is the one of the entry before. */
  readonly isIndented: boolean
  /** What follows a `;` outside parentheses; undefined when there is none. */
  readonly comment: string | undefined
}

/** What is wrong with a text, in words that continue "the text". */
export class Malformed extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

// Spaces; a comment; a parenthesis; the end of a line; a quoted string, or a word of which later parts may be quoted.
const lexeme =
  /([ \t]+)|;([^\n]*)|([()])|(\r?\n)|("(?:[^"\\\n]|\\[^\n])*"|(?:[^ \t\r\n;()"\\]|\\[^\n])(?:[^ \t\r\n;()"\\]|\\[^\n]|"(?:[^"\\\n]|\\[^\n])*")*)|[\s\S]/gu

/** Most words, spaces and parentheses of one entry: whoever reads entries has a turn after each. */
const mostPieces = 10_000

/** Reads the entries of a zone file, empty lines among them. Throws {@link Malformed}. */
export function* readEntries(text: string): Generator<Entry> {
  let line = 1
  let depth = 0
  let entry = emptyEntry(line)
  let pieces = 0
  for (const [whole, space, comment, parenthesis, end, word] of text.matchAll(lexeme)) {
    if (++pieces > mostPieces) throw new Malformed(line, 'is too long')
    if (space !== undefined) entry.isIndented ||= entry.isAtStart
    else if (comment !== undefined) entry.comment = depth === 0 ? comment.replace(/^ |\r$/g, '') : entry.comment
    else if (parenthesis !== undefined) {
      depth += parenthesis === '(' ? 1 : -1
      if (depth < 0 || depth > 1) throw new Malformed(line, `has a '${parenthesis}' too many`)
    } else if (end !== undefined) {
      line++
      if (depth === 0) {
        yield entry
        entry = emptyEntry(line)
        pieces = 0
        continue
      }
    } else if (word !== undefined) entry.tokens.push(toToken(word))
    else
      throw new Malformed(
        line,
        whole === '"' ? 'has a quote that is not closed' : 'has a character that is not allowed',
      )
    entry.isAtStart = false
  }
  if (depth > 0) throw new Malformed(line, "has a '(' that is not closed")
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

/** The words of one record value; undefined when it is not one line of words without comment. Throws {@link Malformed}. */
export function readWords(text: string): readonly Token[] | undefined {
  if (/[\r\n]/.test(text)) return undefined
  const [entry, another] = [...readEntries(text)]
  if (!entry || another || entry.comment !== undefined) return undefined
  return entry.tokens
}
