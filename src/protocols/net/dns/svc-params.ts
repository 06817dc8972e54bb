/** Parameters of SVCB and HTTPS records, as text and as bytes (RFC 9460, 2 and 7; RFC 9461, 5). */
import { bytesOfAddress, textOfAddress, writeIpv4 } from '../address-bytes.ts'
import { isEchConfigList } from './ech.ts'
import { quoteBytes, unescaped } from './names.ts'
import type { Token } from './tokens.ts'

const keyNumbers: Readonly<Record<string, number>> = {
  mandatory: 0,
  alpn: 1,
  'no-default-alpn': 2,
  port: 3,
  ipv4hint: 4,
  ech: 5,
  ipv6hint: 6,
  dohpath: 7,
  ohttp: 8,
}
const keyNames = Object.keys(keyNumbers)

/** Parsed parameters in wire format, which sorts them by key, or a message. */
export type SvcParamsResult =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly message: string }

/** Most bytes of a value, whose length has two bytes (RFC 9460, 2.2). */
const mostValueBytes = 0xffff
/** Most bytes that a value is spelled with: an IPv4 address takes four for each of its own. */
const mostSpelledBytes = 4 * mostValueBytes

/** Parses words such as `alpn=h2,h3 port=8443`. */
export function readSvcParams(words: readonly Token[]): SvcParamsResult {
  const params = new Map<number, Buffer>()
  for (const { text } of words) {
    const equals = text.indexOf('=')
    const name = equals === -1 ? text : text.slice(0, equals)
    const key = keyNumber(name)
    if (key === undefined) return { ok: false, message: `has the unknown parameter '${name.slice(0, 40)}'` }
    if (params.has(key)) return { ok: false, message: `has the parameter '${name}' twice` }
    const raw = unescaped(equals === -1 ? '' : text.slice(equals + 1), mostSpelledBytes)
    const value = raw.ok ? readValue(name, raw.bytes, words.length) : undefined
    if (!value) return { ok: false, message: invalid(name) }
    if (value.length > mostValueBytes)
      return { ok: false, message: `has more than ${mostValueBytes} bytes in '${name}'` }
    params.set(key, value)
  }
  const message = inconsistency(params)
  return message === undefined ? { ok: true, bytes: inOrder(params) } : { ok: false, message }
}

const invalid = (name: string) => `has no valid value for the parameter '${name}'`

/** Writes a number and returns where the next one goes. Buffers of browsers have no function for it. */
function put16(bytes: Buffer, at: number, number: number): number {
  bytes[at] = number >> 8
  bytes[at + 1] = number & 255
  return at + 2
}

/** Parameters in wire format. There may be thousands of them. */
function inOrder(params: ReadonlyMap<number, Buffer>): Buffer {
  let length = 0
  for (const value of params.values()) length += 4 + value.length
  const bytes = Buffer.alloc(length)
  let at = 0
  for (const key of Uint16Array.from(params.keys()).sort()) {
    const value = params.get(key)!
    at = put16(bytes, at, key)
    at = put16(bytes, at, value.length)
    bytes.set(value, at)
    at += value.length
  }
  return bytes
}

function keyNumber(name: string): number | undefined {
  // There may be thousands of the numbered ones.
  if (!/^key(?:0|[1-9]\d{0,4})$/.test(name)) return Object.hasOwn(keyNumbers, name) ? keyNumbers[name] : undefined
  const number = Number(name.slice('key'.length))
  // RFC 9460 reserves key 65535 as invalid.
  return number < 0xffff ? number : undefined
}

function inconsistency(params: ReadonlyMap<number, Buffer>): string | undefined {
  const mandatory = params.get(0)
  for (let at = 0; mandatory && at < mandatory.length; at += 2) {
    if (!params.has(mandatory.readUInt16BE(at))) return 'lacks a parameter that it lists as mandatory'
  }
  return params.has(2) && !params.has(1) ? "has 'no-default-alpn' without 'alpn'" : undefined
}

const u16 = (value: number) => Buffer.of(value >> 8, value & 0xff)

/**
 * The bytes of a value; undefined when it is invalid for its key. `count` is the number of parameters in all. Where the
 * name is a number, the value is what is on the wire (RFC 9460, 2.1).
 */
function readValue(name: string, raw: Buffer, count: number): Buffer | undefined {
  const key = keyNumber(name)!
  if (name.startsWith('key')) return isValue(key, raw) ? raw : undefined
  switch (key) {
    case 0:
      return keyBytes(listed(raw, count).map(keyNumber))
    case 1:
      return readAlpn(raw)
    case 2:
    case 8:
      return raw.length === 0 ? raw : undefined
    case 3: {
      const text = raw.toString('latin1')
      return /^\d{1,5}$/.test(text) && Number(text) <= 0xffff ? u16(Number(text)) : undefined
    }
    case 4:
      return readAddresses(raw, 4)
    case 5: {
      const text = raw.toString('latin1')
      return text !== '' && isBase64(text) ? Buffer.from(text, 'base64') : undefined
    }
    case 6:
      return readAddresses(raw, 16)
    case 7:
      return raw.length > 0 ? raw : undefined
    default:
      return raw
  }
}

/** The items of a list: no more of them than show that there are too many. */
const listed = (raw: Buffer, most: number) => raw.toString('latin1').split(',', most + 1)

/** Keys in their order; undefined when one is unknown, the list itself or there twice. */
function keyBytes(keys: readonly (number | undefined)[]): Buffer | undefined {
  const known = keys.filter((key) => key !== undefined && key !== 0) as number[]
  if (known.length < keys.length || new Set(known).size < keys.length) return undefined
  const bytes = Buffer.alloc(2 * known.length)
  let at = 0
  for (const key of Uint16Array.from(known).sort()) at = put16(bytes, at, key)
  return bytes
}

function readAddresses(raw: Buffer, length: 4 | 16): Buffer | undefined {
  const items = listed(raw, mostValueBytes / length)
  const bytes = Buffer.alloc(length * items.length)
  const isRead = items.every((item, index) => {
    if (length === 4) return writeIpv4(item, bytes, length * index)
    const address = bytesOfAddress(item)
    if (address?.length === length) bytes.set(address, length * index)
    return address?.length === length
  })
  return isRead ? bytes : undefined
}

/** Tells whether a text is base64 with its padding (RFC 4648, 4). */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

const [comma, backslash] = [0x2c, 0x5c]

/** Parses comma-separated protocol ids, which have a second level of escapes. */
function readAlpn(raw: Buffer): Buffer | undefined {
  const bytes = Buffer.alloc(raw.length + 1)
  let [start, end] = [0, 1]
  for (let at = 0; at <= raw.length; at++) {
    if (at === raw.length || raw[at] === comma) {
      const length = end - start - 1
      if (length === 0 || length > 255) return undefined
      bytes[start] = length
      start = end++
    } else {
      if (raw[at] === backslash && (raw[at + 1] === backslash || raw[at + 1] === comma)) at++
      bytes[end++] = raw[at]!
    }
  }
  return bytes.subarray(0, start)
}

/** Tells whether a value on the wire is one of its key. Which configurations `ech` has is not looked at. */
function isValue(key: number, value: Buffer): boolean {
  switch (key) {
    case 0: {
      const keys = Array.from({ length: value.length / 2 }, (_, index) => value.readUInt16BE(2 * index))
      return isFilled(value, 2) && keys.every((one, index) => one > (keys[index - 1] ?? 0))
    }
    case 1: {
      let at = 0
      while (at < value.length && value[at] !== 0) at += value[at]! + 1
      return value.length > 0 && at === value.length
    }
    case 2:
    case 8:
      return value.length === 0
    case 3:
      return value.length === 2
    case 4:
      return isFilled(value, 4)
    case 6:
      return isFilled(value, 16)
    case 5:
    case 7:
      return value.length > 0
    default:
      return true
  }
}

const isFilled = ({ length }: Buffer, size: number) => length > 0 && length % size === 0

/** The parameters by their keys; undefined unless the bytes are parameters with strictly ascending keys. */
function paramsIn(bytes: Buffer): Map<number, Buffer> | undefined {
  const params = new Map<number, Buffer>()
  let last = -1
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return undefined
    const key = bytes.readUInt16BE(at)
    const end = at + 4 + bytes.readUInt16BE(at + 2)
    if (end > bytes.length || key <= last) return undefined
    params.set(key, bytes.subarray(at + 4, end))
    last = key
    at = end
  }
  return params
}

const nameOfKey = (key: number) => keyNames[key] ?? `key${key}`

/**
 * What is wrong with parameters that somebody enters here, in whatever form; undefined when nothing is. Those that came from
 * another name server are served as they are, because it need not have looked.
 */
export function svcParamsProblem(bytes: Buffer): string | undefined {
  const params = paramsIn(bytes)
  if (!params) return 'has parameters that are not in the order of their keys'
  for (const [key, value] of params) {
    if (!isValue(key, value)) return invalid(nameOfKey(key))
    if (key === keyNumbers.ech && !isEchConfigList(value)) return "has no ECHConfigList in the parameter 'ech'"
  }
  return inconsistency(params)
}

/** The parameters as words; undefined unless the bytes are parameters with strictly ascending keys. */
export function svcParamsToText(bytes: Buffer): string | undefined {
  const params = paramsIn(bytes)
  if (!params) return undefined
  const words: string[] = []
  for (const [key, data] of params) {
    const value = printValue(key, data)
    if (value === undefined) return undefined
    words.push(value === '' ? nameOfKey(key) : `${nameOfKey(key)}=${value}`)
  }
  return words.join(' ')
}

function printValue(key: number, value: Buffer): string | undefined {
  const groups = (size: number, print: (group: Buffer) => string) => {
    if (value.length === 0 || value.length % size !== 0) return undefined
    return Array.from({ length: value.length / size }, (_, i) => print(value.subarray(i * size, i * size + size))).join(
      ',',
    )
  }
  switch (key) {
    case 0:
      return groups(2, (group) => keyNames[group.readUInt16BE()] ?? `key${group.readUInt16BE()}`)
    case 1:
      return printAlpn(value)
    case 3:
      return value.length === 2 ? String(value.readUInt16BE()) : undefined
    case 4:
      return groups(4, textOfAddress)
    case 5:
      return value.toString('base64')
    case 6:
      return groups(16, textOfAddress)
    default:
      return quoteIfNeeded(value.toString('latin1'))
  }
}

function printAlpn(value: Buffer): string | undefined {
  let text = ''
  for (let at = 0; at < value.length; ) {
    const end = at + 1 + value[at]!
    if (end > value.length) return undefined
    if (at > 0) text += ','
    for (at++; at < end; at++) {
      if (value[at] === comma || value[at] === backslash) text += '\\'
      text += String.fromCharCode(value[at]!)
    }
  }
  return quoteIfNeeded(text)
}

function quoteIfNeeded(text: string): string {
  return /^[a-zA-Z0-9,./:?=&{}_-]*$/.test(text) ? text : quoteBytes(Buffer.from(text, 'latin1'))
}
