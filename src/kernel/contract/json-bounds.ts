/** Checks bounds of JSON before it is parsed, in one pass over its bytes that stops at the first violation. */
import { ApiError } from '../errors.ts'

const maxDepth = 16
/** Maximum number of keys in all objects together. */
export const maxKeys = 1_000
/** Maximum number of object members and array elements together. */
const maxEntries = 20_000
/** Maximum length in bytes of a key as it is written, and of a number. Keys of labels are the longest there are. */
const maxKeyBytes = 1_024
const maxNumberBytes = 1_024
/** Maximum length in bytes of white space at one place. */
const maxSpaceBytes = 65_536

/** The number of bytes read at once. */
export const pieceBytes = 65_536

const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const space = 0x20
export const quote = 0x22
export const backslash = 0x5c

/** The state of the pass. */
interface Pass {
  depth: number
  keys: number
  entries: number
  texts: number
  /** Bytes of the last string, of the number that is being read, and of white space before the current byte. */
  text: number
  number: number
  space: number
  /** True right after an opening bracket: the next byte starts the first entry or closes the empty container. */
  isFresh: boolean
}

/**
 * Yields after each piece. `mostKeys` are more than usual, and as many more entries. Errors: 400 `json_error` that names
 * the bound. Invalid JSON may pass; the parser refuses it.
 */
export function* checkJsonBounds(bytes: Buffer, mostKeys: number = maxKeys): Generator<void, void> {
  const most = mostOf(mostKeys)
  const pass: Pass = { depth: 0, keys: 0, entries: 0, texts: 0, text: 0, number: 0, space: 0, isFresh: false }
  let [at, isText] = [0, false]
  for (let end = 0; at < bytes.length; ) {
    end = Math.min(at + pieceBytes, bytes.length)
    while (at < end) {
      if (isText) {
        const start = at
        while (at < end && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
        pass.text += at - start
        if (at >= end) break
        isText = false
        at++
      } else isText = count(pass, bytes[at++]!, most)
    }
    yield
  }
}

/** How many there may be in all containers together. */
interface Most {
  readonly keys: number
  readonly entries: number
  /** Valid JSON within the other bounds cannot have more. */
  readonly texts: number
}

function mostOf(keys: number): Most {
  const entries = maxEntries - maxKeys + keys
  return { keys, entries, texts: keys + entries + 1 }
}

/** Counts a byte outside of strings; returns whether it begins one. */
function count(pass: Pass, byte: number, most: Most): boolean {
  if (byte <= space) {
    if (++pass.space > maxSpaceBytes) throw tooLong('stretch of white space', maxSpaceBytes)
    return false
  }
  pass.space = 0
  const isClosing = byte === closeBracket || byte === closeBrace
  if (pass.isFresh) {
    pass.isFresh = false
    if (!isClosing) pass.entries++
  }
  if (byte === quote) {
    pass.text = 0
    if (++pass.texts > most.texts) throw tooMany(most.texts, 'texts')
    return true
  }
  if (!isClosing && byte !== comma && byte !== colon && byte !== openBracket && byte !== openBrace) {
    if (++pass.number > maxNumberBytes) throw tooLong('number', maxNumberBytes)
    return false
  }
  pass.number = 0
  if (byte === comma) pass.entries++
  else if (byte === colon) {
    pass.keys++
    if (pass.text > maxKeyBytes) throw tooLong('key', maxKeyBytes)
  } else if (isClosing) pass.depth--
  else {
    if (++pass.depth > maxDepth) throw new ApiError('json_error', `the JSON cannot have more than ${maxDepth} levels`)
    pass.isFresh = true
  }
  if (pass.keys > most.keys) throw tooMany(most.keys, 'keys')
  if (pass.entries > most.entries) throw tooMany(most.entries, 'entries')
  return false
}

function tooMany(most: number, what: string): ApiError {
  return new ApiError('json_error', `the JSON cannot have more than ${most} ${what}`)
}

function tooLong(what: string, most: number): ApiError {
  return new ApiError('json_error', `a ${what} of the JSON cannot have more than ${most} bytes`)
}
