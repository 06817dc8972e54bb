/**
 * Reads HCL, the language of Terraform, as far as values are written out: blocks and attributes become plain objects,
 * expressions stay texts. Also what `terraform show` and `terraform plan` print. Pure.
 */

interface Token {
  readonly kind: 'text' | 'word' | 'mark' | 'line' | 'end'
  readonly from: number
  readonly to: number
  /** The text, without quotes and escapes. */
  readonly says: string
}

type Body = Record<string, unknown>

/** The depth of brackets beyond which nothing is read. */
const maxDepth = 40
const spaceOrComment = /(?:[ \t\r]+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))*/y
const heredoc = /<<[-~]?(\w+)[ \t\r]*\n([\s\S]*?)\n?[ \t]*\1\b/y
const word = /(?:[!<>=]=|=>|[^\s{}[\](),="#/:]|\/(?![/*]))+/y
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

/** The blocks of a text, each kind in a list under its name: `{ rule: [{ port: '22' }] }`. */
export function readHcl(text: string): Body {
  return new Reader(text).body(0)
}

class Reader {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokensOf(text)
  }

  get #next(): Token {
    return this.#tokens[this.#at]!
  }

  get #isEnd(): boolean {
    return this.#next.kind === 'end'
  }

  /** Goes past a token of one of these marks or kinds; returns whether there was one. */
  #take(...wanted: readonly string[]): boolean {
    const { kind, says } = this.#next
    const isWanted = kind === 'mark' ? wanted.includes(says) : wanted.includes(kind)
    if (isWanted) this.#at += 1
    return isWanted
  }

  /** Reads until the bracket that closes it, or to the end. */
  body(depth: number): Body {
    const found: Body = Object.create(null)
    while (!this.#isEnd && !this.#take('}')) {
      const { kind } = this.#next
      if (kind === 'text' || kind === 'word') this.#member(found, depth)
      else this.#at += 1
    }
    return found
  }

  /** Plans begin lines with a sign. Returns whether it is a minus: what follows is about to go. */
  #takeSign(): boolean {
    const { kind, says } = this.#next
    if (kind === 'word' && /^(?:[-+~]|[-+]\/[-+])$/.test(says)) this.#at += 1
    return kind === 'word' && says === '-'
  }

  /** An attribute or a block. */
  #member(found: Body, depth: number): void {
    const into: Body = this.#takeSign() ? {} : found
    const { says: name } = this.#next
    if (!this.#take('text', 'word')) return
    if (this.#take('=', ':')) {
      into[name] = this.#value(depth)
      return
    }
    // The labels of a block.
    let isLabel = true
    while (isLabel) isLabel = this.#take('text', 'word')
    if (!this.#take('{')) return
    const blocks = Array.isArray(into[name]) ? into[name] : []
    into[name] = [...blocks, this.#inBrackets(depth, () => this.body(depth + 1))]
  }

  #inBrackets<Value>(depth: number, read: () => Value): Value | string {
    if (depth < maxDepth) return read()
    this.#at = this.#tokens.length - 1
    return ''
  }

  #value(depth: number): unknown {
    return this.#isOver() ? '' : this.#expression(depth)
  }

  #expression(depth: number): unknown {
    const { from, kind, says } = this.#next
    const value = this.#literal(depth)
    if (this.#isOver()) return kind === 'word' && says === 'null' ? null : value
    // Anything that has to be computed.
    while (!this.#isOver()) this.#literal(depth)
    const written = this.#text.slice(from, this.#tokens[this.#at - 1]!.to)
    return /^"(.*)" -> "(.*)"$/.exec(written)?.[2] ?? written
  }

  #literal(depth: number): unknown {
    const { says } = this.#next
    if (this.#take('{')) return this.#inBrackets(depth, () => this.body(depth + 1))
    if (this.#take('[')) return this.#inBrackets(depth, () => this.#list(depth + 1, ']'))
    if (this.#take('(')) return this.#inBrackets(depth, () => this.#list(depth + 1, ')'))
    if (!this.#isEnd) this.#at += 1
    return says
  }

  #list(depth: number, close: string): unknown[] {
    const found: unknown[] = []
    while (!this.#isEnd && !this.#take(close)) {
      if (this.#take('line', ',', '}', ']', ')')) continue
      const isGoing = this.#takeSign()
      const value = this.#expression(depth)
      if (!isGoing) found.push(value)
    }
    return found
  }

  /** Tells whether the expression ends here: with the line, or before the name of the next attribute. */
  #isOver(): boolean {
    const { kind, says } = this.#next
    if (kind === 'line' || kind === 'end') return true
    if (kind === 'mark') return [',', '}', ']', ')'].includes(says)
    const after = this.#tokens[this.#at + 1]!
    return kind === 'word' && after.kind === 'mark' && after.says === '='
  }
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let from = 0
  for (;;) {
    from = endOf(spaceOrComment, text, from)
    const token = tokenAt(text, from)
    tokens.push(token)
    if (token.kind === 'end') return tokens
    from = token.to
  }
}

function tokenAt(text: string, from: number): Token {
  const first = text[from]
  if (first === undefined) return { kind: 'end', from, to: from, says: '' }
  if (first === '\n') return { kind: 'line', from, to: from + 1, says: first }
  if (first === '"') return quoted(text, from)
  heredoc.lastIndex = from
  const here = heredoc.exec(text)
  if (here) return { kind: 'text', from, to: heredoc.lastIndex, says: here[2]!.trim() }
  const to = endOf(word, text, from)
  if (to > from) return { kind: 'word', from, to, says: text.slice(from, to) }
  return { kind: 'mark', from, to: from + 1, says: first }
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

function quoted(text: string, from: number): Token {
  const to = endOfQuoted(text, from)
  const inside = text.slice(from + 1, text[to - 1] === '"' && to - 1 > from ? to - 1 : to)
  const says = inside.replace(/\\(.)|([$%])\2\{/g, (_, escaped?: string, sign?: string) =>
    escaped === undefined ? `${sign}{` : (escapes[escaped] ?? escaped),
  )
  return { kind: 'text', from, to, says }
}

/** Finds the end of a text in quotes: a template in it, `${...}`, may have quotes of its own. */
function endOfQuoted(text: string, from: number): number {
  const open: ('"' | '{')[] = ['"']
  let at = from + 1
  for (; at < text.length && open.length > 0; at += 1) {
    const [one, isInText] = [text[at], open.at(-1) === '"']
    if (one === '\n') return at
    if (isInText && one === '\\') at += 1
    else if (one === '"') isInText ? open.pop() : open.push('"')
    else if (one === '}' && !isInText) open.pop()
    else if (one === '{' && (!isInText || isTemplate(text, at))) open.push('{')
  }
  return at
}

/** `${` and `%{` begin a template, `$${` and `%%{` do not. */
function isTemplate(text: string, at: number): boolean {
  const sign = text[at - 1]
  return (sign === '$' || sign === '%') && text[at - 2] !== sign
}
