/**
 * Record data of the types that zones can have: one table lists the fields of each type, and each kind of field has a
 * presentation and a wire format (RFC 1035, 3596, 2782, 4034, 6698, 8659, 1183, 9460).
 */
import { parseAddress } from '../ip.ts'
import { addressBytes, addressText } from './addresses.ts'
import { lowerName, parseName, printName, quoteBytes, rootName, unescaped } from './names.ts'
import { readSvcParams, svcParamsProblem, svcParamsToText } from './svc-params.ts'
import { Malformed, readWords, type Token } from './tokens.ts'

type Field =
  | { readonly kind: 'ipv4' | 'ipv6' | 'name' | 'strings' | 'string' | 'hex' | 'tag' | 'value' | 'params' }
  | { readonly kind: 'number' | 'period'; readonly bytes: 1 | 2 | 4 }

const of = (kind: Exclude<Field['kind'], 'number' | 'period'>): Field => ({ kind })
const number = (bytes: 1 | 2 | 4): Field => ({ kind: 'number', bytes })
const period: Field = { kind: 'period', bytes: 4 }

interface RecordType {
  readonly code: number
  readonly fields: readonly Field[]
}

const service: readonly Field[] = [number(2), of('name'), of('params')]

/** Record types by name. */
export const recordTypes = {
  A: { code: 1, fields: [of('ipv4')] },
  AAAA: { code: 28, fields: [of('ipv6')] },
  CAA: { code: 257, fields: [number(1), of('tag'), of('value')] },
  CNAME: { code: 5, fields: [of('name')] },
  DS: { code: 43, fields: [number(2), number(1), number(1), of('hex')] },
  HINFO: { code: 13, fields: [of('string'), of('string')] },
  HTTPS: { code: 65, fields: service },
  MX: { code: 15, fields: [number(2), of('name')] },
  NS: { code: 2, fields: [of('name')] },
  PTR: { code: 12, fields: [of('name')] },
  RP: { code: 17, fields: [of('name'), of('name')] },
  SOA: { code: 6, fields: [of('name'), of('name'), number(4), period, period, period, period] },
  SRV: { code: 33, fields: [number(2), number(2), number(2), of('name')] },
  SVCB: { code: 64, fields: service },
  TLSA: { code: 52, fields: [number(1), number(1), number(1), of('hex')] },
  TXT: { code: 16, fields: [of('strings')] },
} as const satisfies Record<string, RecordType>

export type RecordTypeName = keyof typeof recordTypes

export const recordTypeNames = Object.keys(recordTypes) as RecordTypeName[]

const namesByCode = new Map<number, RecordTypeName>(recordTypeNames.map((name) => [recordTypes[name].code, name]))

/** The name of a type; a type without a name gets the generic form `TYPE99` (RFC 3597). */
export function typeName(code: number): string {
  return namesByCode.get(code) ?? `TYPE${code}`
}

/** The code of a type name, including the generic form `TYPE99`; undefined for an invalid name. */
export function typeCode(name: string): number | undefined {
  if (isRecordType(name)) return recordTypes[name].code
  const generic = /^TYPE(\d{1,5})$/.exec(name)
  return generic && Number(generic[1]) <= 0xffff ? Number(generic[1]) : undefined
}

export function isRecordType(name: string): name is RecordTypeName {
  return Object.hasOwn(recordTypes, name)
}

/** Parsed record data as canonical text and bytes, or a message. */
export type RdataResult =
  | { readonly ok: true; readonly text: string; readonly bytes: Buffer }
  | { readonly ok: false; readonly message: string }

/**
 * Parses one record value. Names and hexadecimal digits keep their case; spaces, numbers and addresses are normalized
 * to their shortest form. Names are relative to `origin`, a wire name.
 */
export function parseRdata(type: string, value: string, origin: string): RdataResult {
  try {
    const words = readWords(value)
    if (!words) return { ok: false, message: 'must be a single line without comments' }
    return readRdata(type, words, origin, { quotesNeeded: true })
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, message: error.message }
    throw error
  }
}

/** Most bytes of a record's data, and of one string in it (RFC 1035, 3.2.1 and 3.3). */
export const mostDataBytes = 65_535
const mostStringBytes = 255
const paramsOfAlias = 'has parameters, which priority 0 does not allow'
const tooLarge = `has more than ${mostDataBytes} bytes of data`

/** Parses a value from words; unquoted strings are accepted unless `quotesNeeded`. */
export function readRdata(
  type: string,
  words: readonly Token[],
  origin: string,
  { quotesNeeded }: { readonly quotesNeeded: boolean },
): RdataResult {
  if (words[0]?.source === '\\#') return readGeneric(type, words.slice(1))
  if (!isRecordType(type)) return { ok: false, message: 'must be in the generic form, \\# LENGTH HEX' }
  const { fields } = recordTypes[type]
  const reader: Reader = { words, next: 0, origin, quotesNeeded, texts: [], parts: [] }
  for (const field of fields) {
    const message = readField(reader, field)
    if (message !== undefined) return { ok: false, message }
  }
  if (reader.next < words.length) return { ok: false, message: `has more fields than ${type} has` }
  const bytes = Buffer.concat(reader.parts)
  if (bytes.length > mostDataBytes) return { ok: false, message: tooLarge }
  return { ok: true, text: reader.texts.join(' '), bytes }
}

/**
 * What is wrong with data that has the form of its type, where somebody enters it here; undefined when nothing is. What
 * another name server has is served as it is.
 */
export function dataProblem(type: RecordTypeName, bytes: Buffer): string | undefined {
  if (recordTypes[type].fields !== service) return undefined
  const params = bytes.subarray(2 + plainNameAt(bytes, 2)!.length)
  return bytes.readUInt16BE() === 0 && params.length > 0 ? paramsOfAlias : svcParamsProblem(params)
}

/** Parses the generic form for any type (RFC 3597, 5). Known types are normalized to their own presentation format. */
function readGeneric(type: string, [length, ...hex]: readonly Token[]): RdataResult {
  const digits = hex.map(({ text }) => text).join('')
  if (digits.length > 2 * mostDataBytes) return { ok: false, message: tooLarge }
  const bytes = Buffer.from(digits, 'hex')
  if (
    !/^\d{1,5}$/.test(length?.text ?? '') ||
    Number(length?.text) !== bytes.length ||
    digits.length !== 2 * bytes.length
  )
    return { ok: false, message: 'must be \\# LENGTH HEX, where LENGTH is the number of bytes' }
  if (!isRecordType(type)) return { ok: true, text: genericText(bytes), bytes }
  const text = printRdata(type, bytes)
  return text === undefined ? { ok: false, message: `is not valid data for ${type}` } : { ok: true, text, bytes }
}

/** Data in the generic form, which any type has (RFC 3597, 5). */
export const genericText = (bytes: Buffer): string =>
  `\\# ${bytes.length}${bytes.length > 0 ? ` ${bytes.toString('hex')}` : ''}`

// ---- From text -----------------------------------------------------------------------------------------------------

interface Reader {
  readonly words: readonly Token[]
  next: number
  readonly origin: string
  readonly quotesNeeded: boolean
  readonly texts: string[]
  readonly parts: Buffer[]
}

/** Parses one field; returns a message when it is invalid. */
function readField(reader: Reader, field: Field): string | undefined {
  if (field.kind === 'params') return readParams(reader)
  const word = reader.words[reader.next]
  if (!word) return 'has too few fields'
  if (field.kind === 'strings') return readStrings(reader)
  if (field.kind === 'hex') return readHex(reader)
  reader.next++
  const { texts, parts, origin } = reader
  switch (field.kind) {
    case 'ipv4':
    case 'ipv6': {
      const address = parseAddress(word.source)
      const family = field.kind === 'ipv4' ? 4 : 6
      if (!address.ok || address.family !== family) return `must be an IPv${family} address`
      texts.push(address.address)
      parts.push(addressBytes(address.address))
      return
    }
    case 'name': {
      const name = parseName(word.source, origin)
      if (!name.ok) return `the name ${name.message}`
      texts.push(word.source)
      parts.push(Buffer.from(name.wire, 'latin1'))
      return
    }
    case 'number':
    case 'period': {
      const value = field.kind === 'period' ? parsePeriod(word.source) : parseNumber(word.source)
      if (value === undefined || value >= 2 ** (8 * field.bytes))
        return `'${shortened(word)}' is not ${field.bytes === 1 ? 'an' : 'a'} ${8 * field.bytes}-bit number`
      texts.push(String(value))
      parts.push(numberBytes(value, field.bytes))
      return
    }
    case 'tag':
      if (!/^[a-zA-Z0-9]{1,15}$/.test(word.source)) return 'the tag must be letters and digits, at most 15'
      texts.push(word.source)
      parts.push(Buffer.of(word.source.length), Buffer.from(word.source))
      return
    case 'string':
      return readString(reader, word)
    case 'value': {
      const value = unescaped(word.text, mostDataBytes)
      if (!value.ok) return `the value ${value.message}`
      texts.push(quoted(word))
      parts.push(value.bytes)
    }
  }
}

const shortened = ({ source }: Token) => source.slice(0, 40)
const quoted = ({ text, source, isQuoted }: Token) => (isQuoted ? source : `"${text}"`)

function readStrings(reader: Reader): string | undefined {
  for (; reader.next < reader.words.length; reader.next++) {
    const word = reader.words[reader.next]!
    if (!word.isQuoted && reader.quotesNeeded) return 'each string must be in double quotes'
    const message = readString(reader, word)
    if (message !== undefined) return message
  }
}

function readString({ texts, parts }: Reader, word: Token): string | undefined {
  const string = unescaped(word.text, mostStringBytes)
  if (!string.ok) return `a string ${string.message}`
  texts.push(quoted(word))
  const { length } = string.bytes
  lengthBytes[length] ??= Buffer.of(length)
  parts.push(lengthBytes[length], string.bytes)
}

/** The bytes that say how long strings are: a value may have tens of thousands of them. */
const lengthBytes: Buffer[] = []

function readHex(reader: Reader): string | undefined {
  const digits = reader.words
    .slice(reader.next)
    .map(({ source }) => source)
    .join('')
  reader.next = reader.words.length
  if (digits.length > 2 * mostDataBytes) return tooLarge
  if (digits.length % 2 === 1 || !/^[0-9a-fA-F]+$/.test(digits))
    return 'must end with an even number of hexadecimal digits'
  reader.texts.push(digits)
  reader.parts.push(Buffer.from(digits, 'hex'))
}

function readParams(reader: Reader): string | undefined {
  const words = reader.words.slice(reader.next)
  reader.next = reader.words.length
  const priority = reader.parts[0]!.readUInt16BE()
  if (priority === 0 && words.length > 0) return paramsOfAlias
  const params = readSvcParams(words)
  if (!params.ok) return params.message
  reader.texts.push(...words.map(({ source }) => source))
  reader.parts.push(params.bytes)
}

function parseNumber(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

/** Longest period in characters: each unit once, with as many digits as a number has. */
const mostPeriod = 5 * 11

/** Parses seconds, plain or with units such as `1h30m`; undefined for anything else. */
export function parsePeriod(text: string): number | undefined {
  if (text.length > mostPeriod) return undefined
  const plain = parseNumber(text)
  if (plain !== undefined || !/^(\d{1,10}[smhdw])+$/i.test(text)) return plain
  const parts = text.toLowerCase().matchAll(/(\d+)([smhdw])/g)
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * unitSeconds[unit!]!, 0)
}

function numberBytes(value: number, bytes: 1 | 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

// ---- From bytes ----------------------------------------------------------------------------------------------------

/**
 * Data as text with absolute names; undefined when the bytes are invalid for the type. Names must not be compressed.
 */
export function printRdata(type: string, bytes: Buffer): string | undefined {
  if (!isRecordType(type)) return genericText(bytes)
  const texts: string[] = []
  let at = 0
  for (const field of recordTypes[type].fields) {
    const found = printField(field, bytes, at)
    if (!found || found.end > bytes.length) return undefined
    if (found.text !== '') texts.push(found.text)
    at = found.end
  }
  return at === bytes.length ? texts.join(' ') : undefined
}

function printField(field: Field, bytes: Buffer, at: number): { text: string; end: number } | undefined {
  const rest = bytes.subarray(at)
  const all = (text: string | undefined) => (text === undefined ? undefined : { text, end: bytes.length })
  switch (field.kind) {
    case 'ipv4':
    case 'ipv6': {
      const length = field.kind === 'ipv4' ? 4 : 16
      return rest.length === length ? all(addressText(rest)) : undefined
    }
    case 'name': {
      const wire = plainNameAt(bytes, at)
      return wire === undefined ? undefined : { text: printName(wire), end: at + wire.length }
    }
    case 'number':
    case 'period':
      if (rest.length < field.bytes) return undefined
      return { text: String(rest.readUIntBE(0, field.bytes)), end: at + field.bytes }
    case 'string':
    case 'tag': {
      const end = at + 1 + (bytes[at] ?? 255)
      if (end > bytes.length) return undefined
      const content = bytes.subarray(at + 1, end)
      return { text: field.kind === 'tag' ? content.toString('latin1') : quoteBytes(content), end }
    }
    case 'strings': {
      const texts: string[] = []
      for (let next = 0; next < rest.length; next += rest[next]! + 1) {
        if (next + rest[next]! + 1 > rest.length) return undefined
        texts.push(quoteBytes(rest.subarray(next + 1, next + 1 + rest[next]!)))
      }
      return texts.length > 0 ? all(texts.join(' ')) : undefined
    }
    case 'hex':
      return rest.length > 0 ? all(rest.toString('hex')) : undefined
    case 'value':
      return all(quoteBytes(rest))
    case 'params':
      return all(svcParamsToText(rest))
  }
}

/** The wire name at an offset; undefined when it is compressed or exceeds the bytes. */
export function plainNameAt(bytes: Buffer, start: number): string | undefined {
  let at = start
  while (at < bytes.length && bytes[at] !== 0) {
    if (bytes[at]! > 63) return undefined
    at += bytes[at]! + 1
  }
  return at < bytes.length && at - start < 255 ? bytes.toString('latin1', start, at + 1) : undefined
}

/** A key that is equal for values of the same meaning: the case of names does not count (RFC 4343). */
export function sameness(type: string, bytes: Buffer): string {
  if (!isRecordType(type)) return bytes.toString('latin1')
  let key = ''
  let at = 0
  for (const field of recordTypes[type].fields) {
    const wire = field.kind === 'name' ? plainNameAt(bytes, at) : undefined
    const end = wire !== undefined ? at + wire.length : 'bytes' in field ? at + field.bytes : bytes.length
    key += wire !== undefined ? lowerName(wire) : bytes.toString('latin1', at, end)
    at = end
  }
  return key
}

/** The first name in record data, such as the target of an NS record; the root if there is none. */
export function firstNameIn(type: string, bytes: Buffer): string {
  if (!isRecordType(type)) return rootName
  let at = 0
  for (const field of recordTypes[type].fields) {
    if (field.kind === 'name') return plainNameAt(bytes, at) ?? rootName
    at += 'bytes' in field ? field.bytes : 0
  }
  return rootName
}
