/** Label selectors: reading them, judging labels by them (spec: Label selector). */
import type { Labels } from './labels.ts'
import { excerpt, labelKeyProblem, labelValueProblem } from './labels.ts'

/**
 * One condition of a selector. `k=v` reads as `in` with one value and `k!=v` as `notin` with one value.
 * `values` holds distinct values in the order written; it is empty exactly for `exists` and `absent`.
 */
export type Term = {
  readonly op: 'in' | 'notin' | 'exists' | 'absent'
  readonly key: string
  readonly values: readonly string[]
}

/** A parsed selector: `text` as the caller gave it, and the terms that must all hold. No terms match everything. */
export type Selector = { readonly text: string; readonly terms: readonly Term[] }

/** `position` is the offset, from 0 and in UTF-16 units, where reading stopped; `message` repeats it in words. */
export type SelectorResult = { ok: true; selector: Selector } | { ok: false; position: number; message: string }

/** Longest selector, in bytes of UTF-8. */
export const MAX_SELECTOR_BYTES = 1024

/** Most comma-separated terms in a selector. */
export const MAX_SELECTOR_TERMS = 16

/** Most values in one `in` or `notin` list, counted as written. */
export const MAX_SELECTOR_VALUES = 32

const COMMA = 0x2c
const EQUALS = 0x3d
const BANG = 0x21
const OPEN = 0x28
const CLOSE = 0x29
const NO_VALUES: readonly string[] = Object.freeze([])

type Cursor = { readonly text: string; at: number }
type Failure = { readonly position: number; readonly message: string }

/**
 * Parses the selector language of spec section Label selector. Never throws.
 *
 * Whitespace (space, tab, line breaks) may stand around every token. A missing value is the empty value (`k=`,
 * `k in (a,)`), but a list with nothing at all, `k in ()`, is refused. Empty or blank text gives no terms. Keys and
 * values obey the label rules, save that the reserved prefix is allowed. The text is read once, from left to right.
 */
export function parseSelector(text: string): SelectorResult {
  // A string has at least one byte per unit, so over-long text is refused before its bytes are counted.
  if (text.length > MAX_SELECTOR_BYTES || Buffer.byteLength(text) > MAX_SELECTOR_BYTES) {
    const position = Math.min(text.length, MAX_SELECTOR_BYTES)
    return { ok: false, position, message: `a label selector can have at most ${MAX_SELECTOR_BYTES} bytes` }
  }
  const cursor: Cursor = { text, at: 0 }
  const terms: Term[] = []
  skipSpace(cursor)
  if (atEnd(cursor)) return { ok: true, selector: { text, terms } }
  const failure = readTerms(cursor, terms)
  return failure === undefined ? { ok: true, selector: { text, terms } } : { ok: false, ...failure }
}

/**
 * Tells whether labels satisfy every term. Unlike in Kubernetes, `!=` and `notin` do not hold for labels that lack the key.
 * Allocates nothing: it runs once per object and selector when labels change.
 */
export function matches(selector: Selector, labels: Labels): boolean {
  const terms = selector.terms
  for (let index = 0; index < terms.length; index++) {
    if (!holds(terms[index]!, labels)) return false
  }
  return true
}

/**
 * Writes the selector in a normal form: two selectors with the same normal form have the same terms, whatever their
 * order, spacing, spelling or repetition. The form is itself a selector and is never longer than the original (hence
 * no space before the list), so it always passes the size limit again.
 */
export function canonical(selector: Selector): string {
  return [...new Set(selector.terms.map(canonicalTerm))].sort().join(',')
}

/** Most characters of selectors that are remembered with what they mean. */
const maxRemembered = 1_048_576
let remembered = new Map<string, Selector>()
let rememberedLength = 0

/** Reads a selector that was accepted when it was stored; each is parsed once for many uses. */
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
 * What labels must have for a term to hold, in a form that can be looked up among those of `conditionsMet`: a label, or
 * only its key.
 */
export function conditionOf(term: Term): string {
  return term.op === 'in' && term.values.length === 1 ? `${term.key}=${term.values[0]}` : term.key
}

/** Every `conditionOf` that labels meet, and the empty text for selectors that have no positive term. */
export function conditionsMet(labels: Labels): string[] {
  return ['', ...Object.entries(labels).flatMap(([key, value]) => [key, `${key}=${value}`])]
}

/**
 * The terms that a label index can be asked for, the most selective first: `in` with few values, then the others.
 * `absent` is left out, because the index does not list the objects that it matches.
 */
export function drivingTerms(selector: Selector): Term[] {
  const positive = selector.terms.filter((term) => term.op !== 'absent')
  return positive.sort((a, b) => cost(a) - cost(b))
}

function cost(term: Term): number {
  return term.op === 'in' ? term.values.length : MAX_SELECTOR_VALUES + 1
}

function holds(term: Term, labels: Labels): boolean {
  // Labels read back from storage have a prototype, and `constructor` is a valid label key.
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

function readTerms(cursor: Cursor, terms: Term[]): Failure | undefined {
  for (;;) {
    if (terms.length === MAX_SELECTOR_TERMS) return limit(cursor, `${MAX_SELECTOR_TERMS} terms`)
    const term = readTerm(cursor)
    if ('message' in term) return term
    terms.push(term)
    if (atEnd(cursor)) return undefined
    if (!take(cursor, COMMA)) return expected(cursor, expectation(term))
  }
}

/** A bare key can still grow an operator; every other term can only be followed by the next one. */
function expectation(term: Term): string {
  return term.op === 'exists' ? "an operator or ','" : "','"
}

function readTerm(cursor: Cursor): Term | Failure {
  const negated = take(cursor, BANG)
  const key = readKey(cursor)
  if (typeof key !== 'string') return key
  if (negated) return { op: 'absent', key, values: NO_VALUES }
  return readCondition(cursor, key)
}

function readCondition(cursor: Cursor, key: string): Term | Failure {
  if (take(cursor, EQUALS)) {
    // `==` is one token: in `k= =v` the second sign is out of place.
    if (cursor.text.charCodeAt(cursor.at - 1) === EQUALS) take(cursor, EQUALS)
    return readSingle(cursor, 'in', key)
  }
  if (peek(cursor) === BANG) {
    if (cursor.text.charCodeAt(cursor.at + 1) !== EQUALS) return expected(cursor, "an operator or ','")
    advance(cursor, 2)
    return readSingle(cursor, 'notin', key)
  }
  const start = cursor.at
  const word = readWord(cursor)
  if (word === '') return { op: 'exists', key, values: NO_VALUES }
  if (word === 'in' || word === 'notin') return readList(cursor, word, key)
  return { position: start, message: `expected an operator or ',' at position ${start}` }
}

function readSingle(cursor: Cursor, op: 'in' | 'notin', key: string): Term | Failure {
  const value = readValue(cursor)
  return typeof value === 'string' ? { op, key, values: [value] } : value
}

function readList(cursor: Cursor, op: 'in' | 'notin', key: string): Term | Failure {
  if (!take(cursor, OPEN)) return expected(cursor, "'('")
  if (peek(cursor) === CLOSE) return expected(cursor, 'a value')
  const values = new Set<string>()
  for (let count = 0; count < MAX_SELECTOR_VALUES; count++) {
    const value = readValue(cursor)
    if (typeof value !== 'string') return value
    values.add(value)
    if (take(cursor, CLOSE)) return { op, key, values: [...values] }
    if (!take(cursor, COMMA)) return expected(cursor, "')' or ','")
  }
  return limit(cursor, `${MAX_SELECTOR_VALUES} values in a list`)
}

function readKey(cursor: Cursor): string | Failure {
  const position = cursor.at
  const key = readWord(cursor)
  if (key === '') return { position, message: `expected a label key at position ${position}` }
  const problem = labelKeyProblem(key)
  return problem === undefined ? key : malformed('key', key, position, problem)
}

function readValue(cursor: Cursor): string | Failure {
  const position = cursor.at
  const value = readWord(cursor)
  const problem = labelValueProblem(value)
  return problem === undefined ? value : malformed('value', value, position, problem)
}

/** Reads up to the next delimiter, whatever the characters, so that a message can quote the whole faulty word. */
function readWord(cursor: Cursor): string {
  const start = cursor.at
  let end = start
  while (end < cursor.text.length && !isDelimiter(cursor.text.charCodeAt(end))) end++
  advance(cursor, end - start)
  return cursor.text.slice(start, end)
}

function take(cursor: Cursor, code: number): boolean {
  if (peek(cursor) !== code) return false
  advance(cursor, 1)
  return true
}

/** Moves past a token and the whitespace behind it: between tokens the cursor never rests on whitespace. */
function advance(cursor: Cursor, count: number): void {
  cursor.at += count
  skipSpace(cursor)
}

function skipSpace(cursor: Cursor): void {
  while (isSpace(peek(cursor))) cursor.at++
}

/** NaN, equal to no code, at the end of the text. */
function peek(cursor: Cursor): number {
  return cursor.text.charCodeAt(cursor.at)
}

function atEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.text.length
}

function isDelimiter(code: number): boolean {
  return code === COMMA || code === EQUALS || code === BANG || code === OPEN || code === CLOSE || isSpace(code)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

function expected(cursor: Cursor, what: string): Failure {
  return { position: cursor.at, message: `expected ${what} at position ${cursor.at}` }
}

function limit(cursor: Cursor, what: string): Failure {
  return { position: cursor.at, message: `a label selector can have at most ${what}, see position ${cursor.at}` }
}

function malformed(kind: string, word: string, position: number, problem: string): Failure {
  return { position, message: `label ${kind} ${excerpt(word)} at position ${position} ${problem}` }
}
