/** JSON of replies: large ones are made in pieces between which other requests get their turn. */
import { constantJson } from '../../contract/constant.ts'
import type { AtOnce } from '../../process/at-once.ts'
import { inTurns } from '../../process/turns.ts'
import { keepPage, keptPage } from './kept-pages.ts'

/**
 * The largest weight of a piece: a value weighs 1, and a text 1 more for every 64 characters. It takes less than a piece of a
 * turn.
 */
const pieceWeight = 2_500
const charactersPerWeight = 64
/** Texts are joined until they are as long. */
const mostCharacters = 32_768

/** JSON as a text; that of a large value as bytes in parts, some of which others have as well: nobody may change them. */
export type Json = string | readonly Buffer[]

/** The JSON of a reply; nearly all are light and made at once. A value may be whatever JSON can hold, or undefined. */
export function toJson(value: unknown): AtOnce<Json> {
  const kept = keptPage(value)
  if (kept !== undefined) return kept
  return weigh(value, pieceWeight) <= pieceWeight ? keepPage(value, write(value)) : inTurns(gathered(value))
}

/** Constants are at most as deep in a reply as the parts of what a list shows. */
const depthOfConstants = 3

/** The JSON of a light value, with that of constants as it was written before. */
function write(value: unknown, depth = depthOfConstants): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const known = constantJson(value)
  if (known !== undefined) return known.toString()
  if (!holdsConstants(value, depth)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((one) => write(one ?? null, depth - 1)).join(',')}]`
  let text = ''
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key]
    if (part !== undefined) text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${write(part, depth - 1)}`
  }
  return text === '' ? '{}' : `${text}}`
}

/** Tells whether there are constants in a value, from the first one of what is alike. */
function holdsConstants(value: object, depth: number): boolean {
  if (constantJson(value) !== undefined) return true
  if (depth === 0) return false
  if (Array.isArray(value)) return isObject(value[0]) && holdsConstants(value[0], depth - 1)
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key]
    if (isObject(part) && holdsConstants(part, depth - 1)) return true
  }
  return false
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function* gathered(value: unknown): Generator<void, Buffer[]> {
  const parts: Buffer[] = []
  let text = ''
  const end = () => {
    if (text !== '') parts.push(Buffer.from(text))
    text = ''
  }
  for (const piece of pieces(value)) {
    if (typeof piece === 'string') text += piece
    else {
      end()
      parts.push(piece)
    }
    if (text.length >= mostCharacters) end()
    yield
  }
  end()
  return parts
}

/**
 * Texts and bytes that make up the JSON of a value. Each text is of bounded size unless a single one within the value is
 * larger, and bytes are there already.
 */
export function* pieces(value: unknown, most = pieceWeight): Generator<string | Buffer> {
  if (typeof value !== 'object' || value === null || weigh(value, most) <= most) yield write(value) ?? 'null'
  else {
    const known = constantJson(value)
    if (typeof known === 'object') yield known
    else if (Array.isArray(value)) yield* piecesOfArray(value, most)
    else yield* piecesOfObject(value, most)
  }
}

/** Light members are written many at a time. */
function* piecesOfObject(value: object, most: number): Generator<string | Buffer> {
  let text = '{'
  let weight = 0
  let before = ''
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined) continue
    text += `${before}${JSON.stringify(key)}:`
    before = ','
    weight += 1 + weigh(one, most)
    if (weight <= most) text += write(one)
    else {
      yield text
      text = ''
      weight = 0
      yield* pieces(one, most)
    }
  }
  yield `${text}}`
}

/** Light elements are written many at a time. */
function* piecesOfArray(values: readonly unknown[], most: number): Generator<string | Buffer> {
  let before = '['
  for (let from = 0; from < values.length; ) {
    let to = from
    for (let weight = 0; to < values.length; to++) {
      weight += weigh(values[to], most)
      if (weight > most) break
    }
    yield before
    if (to === from) yield* pieces(values[to++], most)
    else yield write(values.slice(from, to)).slice(1, -1)
    before = ','
    from = to
  }
  yield before === '[' ? '[]' : ']'
}

/** The weight of a value; of a heavier one than `most`, some weight above that, and so of one whose JSON is bytes. */
function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / charactersPerWeight)
  if (typeof value !== 'object' || value === null) return 1
  const known = constantJson(value)
  if (known !== undefined) return typeof known === 'string' ? weigh(known, most) : most + 1
  let weight = 1
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight <= most; index++) weight += weigh(value[index], most - weight)
    return weight
  }
  for (const key in value) {
    weight += weigh((value as Record<string, unknown>)[key], most - weight)
    if (weight > most) return weight
  }
  return weight
}
