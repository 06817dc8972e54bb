/** Label selectors: parsing them and matching labels against them (spec: Label selector). */

import { remembering } from '../process/remembered.ts'
import type { Labels } from './labels.ts'
import { excerpt, labelKeyProblem, labelValueProblem } from './labels.ts'

/**
 * One condition of a selector. `k=v` is parsed as `in` with one value, `k!=v` as `notin` with one value. `values` holds
 * distinct values in the order written and is empty only for `exists` and `absent`.
 */
export type Term = {
  readonly op: 'in' | 'notin' | 'exists' | 'absent'
  readonly key: string
  readonly values: readonly string[]
}

/** A parsed selector: `text` as the caller gave it, and terms that must all match. No terms match everything. */
export type Selector = { readonly text: string; readonly terms: readonly Term[] }

/** A selector that a caller gave, narrowed to what the caller sees. */
interface Narrowed extends Selector {
  readonly asked: Selector | undefined
}

/** Selects what both selectors select. */
export function narrowed(asked: Selector | undefined, within: Selector): Narrowed {
  return { text: within.text, terms: [...(asked?.terms ?? []), ...within.terms], asked }
}

/** Returns the caller's own selector, for what is shown to all callers, whatever else they see. */
export function askedOf(selector: Selector | undefined): Selector | undefined {
  return selector && 'asked' in selector ? (selector as Narrowed).asked : selector
}

/** `position` is the offset (from 0, in UTF-16 units) where parsing stopped; `message` includes it. */
export type SelectorResult = { ok: true; selector: Selector } | ({ ok: false } & Refusal)

/** Maximum length of a selector, in bytes of UTF-8. */
export const maxSelectorBytes = 1024

/** Maximum number of comma-separated terms in a selector. */
export const maxTerms = 16

/** Maximum number of values in one `in` or `notin` list, counted as written. */
export const maxValues = 32

const noValues: readonly string[] = Object.freeze([])

/** A token after optional whitespace: an operator, another delimiter, or a word; empty at the end of the text. */
const nextToken = /[ \t\n\r]*([!=]=|[,=!()]|[^,=!() \t\n\r]+|$)/y

/** Works in browsers too, where the console parses selectors while they are typed. */
const encoder = new TextEncoder()

type Refusal = { readonly position: number; readonly message: string; readonly isLimit?: true }

/**
 * Parses a label selector (spec: Label selector). Never throws.
 * Whitespace (space, tab, line breaks) is allowed around every token. A missing value is the empty value (`k=`, `k in
 * (a,)`), but an empty list, `k in ()`, is refused. Blank text gives no terms. Keys and values follow the label rules,
 * except that the reserved prefix is allowed.
 */
export const parseSelector = remembering((text): SelectorResult => {
  // A string has at least one byte per unit, so its length is checked before its bytes are counted.
  if (text.length > maxSelectorBytes || encoder.encode(text).length > maxSelectorBytes) {
    const position = Math.min(text.length, maxSelectorBytes)
    const message = `a label selector cannot have more than ${maxSelectorBytes} bytes`
    return { ok: false, position, message, isLimit: true }
  }
  const tokens = new Tokens(text)
  const terms: Term[] = []
  const refusal = tokens.isAtEnd ? undefined : readTerms(tokens, terms)
  return refusal === undefined ? { ok: true, selector: { text, terms } } : { ok: false, ...refusal }
})

/**
 * Tells whether labels satisfy every term. Unlike in Kubernetes, `!=` and `notin` do not match labels without the key.
 * Allocates nothing, because it runs once per object and selector when labels change.
 */
export function matches(selector: Selector, labels: Labels): boolean {
  const terms = selector.terms
  for (let index = 0; index < terms.length; index++) {
    if (!holds(terms[index]!, labels)) return false
  }
  return true
}

/**
 * The normal form of a selector: two selectors with the same normal form have the same terms, whatever their order,
 * spacing, spelling or repetition. It is itself a selector and never longer than the original (hence no space before
 * the list), so it always passes the size limit.
 */
export function canonical(selector: Selector): string {
  return [...new Set(selector.terms.map(canonicalTerm))].sort().join(',')
}

/** Maximum total length of the selectors in the cache, in characters. */
const maxRemembered = 1_048_576
let remembered = new Map<string, Selector>()
let rememberedLength = 0

/** Parses a selector that was validated when it was stored; the result is cached. */
export function storedSelector(text: string): Selector {
  const known = remembered.get(text)
  if (known) return known
  const result = parseSelector(text)
  if (!result.ok) throw new Error(`a stored selector cannot be read: ${result.message}`)
  rememberedLength += text.length
  if (rememberedLength > maxRemembered) {
    remembered = new Map()
    rememberedLength = text.length
  }
  remembered.set(text, result.selector)
  return result.selector
}

/**
 * A necessary condition for a term: a label, or only its key. It can be looked up among the results of `conditionsMet`.
 */
export function conditionOf(term: Term): string {
  return term.op === 'in' && term.values.length === 1 ? `${term.key}=${term.values[0]}` : term.key
}

/** Every `conditionOf` that labels meet, and the empty text for selectors without positive terms. */
export function conditionsMet(labels: Labels): string[] {
  return ['', ...Object.entries(labels).flatMap(([key, value]) => [key, `${key}=${value}`])]
}

/**
 * The terms that a label index can look up, the most selective first: `in` with few values, then the others. `absent`
 * is left out, because the index does not list the objects that it matches.
 */
export function drivingTerms(selector: Selector): Term[] {
  const positive = selector.terms.filter((term) => term.op !== 'absent')
  return positive.sort((a, b) => cost(a) - cost(b))
}

function cost(term: Term): number {
  return term.op === 'in' ? term.values.length : maxValues + 1
}

function holds(term: Term, labels: Labels): boolean {
  // Labels read from storage have a prototype, and `constructor` is a valid label key.
  const present = Object.hasOwn(labels, term.key)
  switch (term.op) {
    case 'exists':
      return present
    case 'absent':
      return !present
    case 'in':
      return present && term.values.includes(labels[term.key]!)
    case 'notin':
      return present && !term.values.includes(labels[term.key]!)
  }
}

function canonicalTerm(term: Term): string {
  const { op, key } = term
  if (op === 'exists') return key
  if (op === 'absent') return `!${key}`
  if (term.values.length === 1) return `${key}${op === 'in' ? '=' : '!='}${term.values[0]}`
  return `${key} ${op}(${[...term.values].sort().join(',')})`
}

// ---- Reading -------------------------------------------------------------------------------------------------------

/** Reads the tokens of a selector from left to right. */
class Tokens {
  readonly #text: string
  #end = 0
  /** The current token and its offset. */
  current = ''
  at = 0

  constructor(text: string) {
    this.#text = text
    this.#advance()
  }

  get isAtEnd(): boolean {
    return this.current === ''
  }

  /** Consumes the delimiter if it is the current token; returns whether it did. */
  take(delimiter: string): boolean {
    const isNext = this.current === delimiter
    if (isNext) this.#advance()
    return isNext
  }

  /**
   * Consumes and returns a word; empty at a delimiter or the end. A word contains any other characters, so that errors
   * quote it whole.
   */
  word(): string {
    const word = /^[^,=!()]/.test(this.current) ? this.current : ''
    if (word !== '') this.#advance()
    return word
  }

  #advance(): void {
    nextToken.lastIndex = this.#end
    this.current = nextToken.exec(this.#text)?.[1] ?? ''
    this.#end = nextToken.lastIndex
    this.at = this.#end - this.current.length
  }
}

function readTerms(tokens: Tokens, terms: Term[]): Refusal | undefined {
  for (;;) {
    if (terms.length === maxTerms) return limit(tokens, `${maxTerms} terms`)
    const term = readTerm(tokens)
    if ('message' in term) return term
    terms.push(term)
    if (tokens.isAtEnd) return undefined
    if (!tokens.take(',')) return expected(tokens, expectation(term))
  }
}

/** A bare key may be followed by an operator; every other term only by the next term. */
function expectation(term: Term): string {
  return term.op === 'exists' ? "an operator or ','" : "','"
}

function readTerm(tokens: Tokens): Term | Refusal {
  // A `!=` at the start of a term is a negation without a key.
  if (tokens.current === '!=') return expectedAt(tokens.at + 1, 'a label key')
  const negated = tokens.take('!')
  const key = readKey(tokens)
  if (typeof key !== 'string') return key
  return negated ? { op: 'absent', key, values: noValues } : readCondition(tokens, key)
}

function readCondition(tokens: Tokens, key: string): Term | Refusal {
  if (tokens.take('==') || tokens.take('=')) return readSingle(tokens, 'in', key)
  if (tokens.take('!=')) return readSingle(tokens, 'notin', key)
  const unknown = expected(tokens, "an operator or ','")
  const word = tokens.word()
  if (word === 'in' || word === 'notin') return readList(tokens, word, key)
  return word === '' ? { op: 'exists', key, values: noValues } : unknown
}

function readSingle(tokens: Tokens, op: 'in' | 'notin', key: string): Term | Refusal {
  const value = readValue(tokens)
  return typeof value === 'string' ? { op, key, values: [value] } : value
}

function readList(tokens: Tokens, op: 'in' | 'notin', key: string): Term | Refusal {
  if (!tokens.take('(')) return expected(tokens, "'('")
  if (tokens.current === ')') return expected(tokens, 'a value')
  const values = new Set<string>()
  for (let count = 0; count < maxValues; count++) {
    const value = readValue(tokens)
    if (typeof value !== 'string') return value
    values.add(value)
    if (tokens.take(')')) return { op, key, values: [...values] }
    if (!tokens.take(',')) return expected(tokens, "')' or ','")
  }
  return limit(tokens, `${maxValues} values in a list`)
}

function readKey(tokens: Tokens): string | Refusal {
  const { at } = tokens
  const key = tokens.word()
  if (key === '') return expected(tokens, 'a label key')
  const problem = labelKeyProblem(key)
  return problem === undefined ? key : malformed('key', key, at, problem)
}

function readValue(tokens: Tokens): string | Refusal {
  const { at } = tokens
  const value = tokens.word()
  const problem = labelValueProblem(value)
  return problem === undefined ? value : malformed('value', value, at, problem)
}

function expected({ at }: Tokens, what: string): Refusal {
  return expectedAt(at, what)
}

function expectedAt(position: number, what: string): Refusal {
  return { position, message: `expected ${what} at position ${position}` }
}

function limit({ at }: Tokens, what: string): Refusal {
  return { position: at, message: `a label selector cannot have more than ${what}, see position ${at}`, isLimit: true }
}

function malformed(kind: string, word: string, position: number, problem: string): Refusal {
  return { position, message: `label ${kind} ${excerpt(word)} at position ${position} ${problem}` }
}
