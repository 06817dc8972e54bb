/** Checks bounds of JSON before it is parsed, in one pass over its bytes that stops at the first violation. */
import { ApiError } from '../errors.ts'

const maxDepth = 16
/** Maximum number of keys in all objects together. */
export const maxKeys = 1_000
/** Maximum number of object members and array elements together. */
const maxEntries = 20_000
/** Maximum number of strings; valid JSON within the other bounds cannot have more. */
const maxTexts = maxKeys + maxEntries + 1

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const space = 0x20

/** Errors: 400 `json_error` that names the bound. Invalid JSON may pass; the parser refuses it. */
export function checkJsonBounds(bytes: Buffer): void {
  let depth = 0
  let keys = 0
  let entries = 0
  let texts = 0
  /** True right after an opening bracket: the next byte starts the first entry or closes the empty container. */
  let isFresh = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte <= space) continue
    if (isFresh) {
      isFresh = false
      if (byte !== closeBracket && byte !== closeBrace) entries++
    }
    if (byte === quote) {
      if (++texts > maxTexts) throw tooMany()
      at = endOfText(bytes, at)
    } else if (byte === comma) entries++
    else if (byte === colon) keys++
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > maxDepth) throw new ApiError('json_error', `the JSON is nested deeper than ${maxDepth} levels`)
      isFresh = true
    } else if (byte === closeBracket || byte === closeBrace) depth--
    if (keys > maxKeys || entries > maxEntries) throw tooMany()
  }
}

function tooMany(): ApiError {
  const bounds = `at most ${maxKeys} keys and ${maxEntries} entries`
  return new ApiError('json_error', `the JSON has too many entries: ${bounds}`)
}

/** The index of the quote that ends the string starting at `start`, or the end of the input. */
function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}
