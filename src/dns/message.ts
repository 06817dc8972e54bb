/**
 * DNS messages (RFC 1035, 4; RFC 6891): reading queries from bytes that anybody may have sent, and writing answers. What
 * is malformed is told apart from what is not for us; nothing here throws on bad bytes.
 */
import { lowerName, type NameKey } from '../net/dns/names.ts'

/** Response codes. */
export const rcodes = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  nameError: 3,
  notImplemented: 4,
  refused: 5,
  notAuthoritative: 9,
  badVersion: 16,
} as const

export const opcodes = { query: 0, notify: 4 } as const

/** Types that queries name and zones do not have. */
export const queryTypes = { opt: 41, tsig: 250, ixfr: 251, axfr: 252, any: 255 } as const

export const headerBytes = 12
/** OPT without options. */
const optBytes = 11
/** What fits into one UDP answer without fragments on any path (DNS Flag Day 2020). */
export const maxUdpBytes = 1_232
const plainUdpBytes = 512
export const maxTcpBytes = 65_535

/** A query that could be read. */
export interface Query {
  readonly bytes: Buffer
  readonly opcode: number
  /** The name in lower case; the bytes have it as it was sent. */
  readonly name: NameKey
  readonly type: number
  readonly class: number
  /** Where the question ends. */
  readonly end: number
  /** Undefined for a query without EDNS. */
  readonly edns: { readonly version: number; readonly udpBytes: number; readonly dnssecOk: boolean } | undefined
  /** Where the additional records begin, and how many there are. */
  readonly hasTsig: boolean
}

/** Why bytes are no query: not worth an answer, or to be answered with a response code. */
export type Unreadable = 'ignore' | { readonly rcode: number }

/** Reads a message as a query. */
export function readQuery(bytes: Buffer): Query | Unreadable {
  if (bytes.length < headerBytes || (bytes[2]! & 0x80) !== 0) return 'ignore'
  const opcode = (bytes[2]! >> 3) & 0xf
  if (opcode !== opcodes.query && opcode !== opcodes.notify) return { rcode: rcodes.notImplemented }
  // One question. Only a NOTIFY may say something in the answer section.
  const isOne = bytes.readUInt16BE(4) === 1 && (opcode === opcodes.notify || bytes.readUInt16BE(6) === 0)
  const nameEnd = isOne ? plainNameEnd(bytes, headerBytes) : -1
  if (nameEnd < 0 || nameEnd + 4 > bytes.length) return { rcode: rcodes.formatError }
  const end = nameEnd + 4
  const extra = readAdditional(bytes, end)
  if (!extra) return { rcode: rcodes.formatError }
  return {
    bytes,
    opcode,
    name: lowerName(bytes.toString('latin1', headerBytes, nameEnd)),
    type: bytes.readUInt16BE(nameEnd),
    class: bytes.readUInt16BE(nameEnd + 2),
    end,
    ...extra,
  }
}

/** Where a name without pointers ends; -1 when it is malformed. The first name of a message has nowhere to point to. */
function plainNameEnd(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length && at - start < 255; at += bytes[at]! + 1) {
    if (bytes[at] === 0) return at + 1
    if (bytes[at]! > 63) return -1
  }
  return -1
}

/** Where a name ends that may be compressed; -1 when it does not. */
export function skipName(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += bytes[at]! + 1) {
    if (bytes[at] === 0) return at + 1
    if (bytes[at]! >= 0xc0) return at + 2 <= bytes.length ? at + 2 : -1
    if (bytes[at]! > 63) return -1
  }
  return -1
}

/** A name that may be compressed; undefined when it is malformed. Pointers lead backwards only, so that it ends. */
export function readName(bytes: Buffer, start: number): string | undefined {
  let name = ''
  let limit = start
  for (let at = start; at < bytes.length; ) {
    const length = bytes[at]!
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | (bytes[at + 1] ?? 0)
      if (at + 1 >= bytes.length || target >= limit) return undefined
      limit = target
      at = target
      continue
    }
    if (length > 63 || at + length + 1 > bytes.length || name.length + length + 1 > 255) return undefined
    name += bytes.toString('latin1', at, at + length + 1)
    if (length === 0) return name
    at += length + 1
  }
  return undefined
}

/** Looks through the records after the question for the two that are about the message itself. */
function readAdditional(bytes: Buffer, start: number): Pick<Query, 'edns' | 'hasTsig'> | undefined {
  const before = bytes.readUInt16BE(6) + bytes.readUInt16BE(8)
  const count = before + bytes.readUInt16BE(10)
  let edns: Query['edns']
  let hasTsig = false
  let at = start
  for (let index = 0; index < count; index++) {
    const nameEnd = skipName(bytes, at)
    if (nameEnd < 0 || nameEnd + 10 > bytes.length) return undefined
    const type = bytes.readUInt16BE(nameEnd)
    const end = nameEnd + 10 + bytes.readUInt16BE(nameEnd + 8)
    if (end > bytes.length) return undefined
    if (type === queryTypes.opt) {
      // It is there once, and its name is the root (RFC 6891, 6.1.1).
      if (edns || index < before || nameEnd !== at + 1) return undefined
      const [version, flags] = [bytes[nameEnd + 5]!, bytes[nameEnd + 6]!]
      edns = { version, udpBytes: bytes.readUInt16BE(nameEnd + 2), dnssecOk: (flags & 0x80) !== 0 }
    }
    hasTsig = type === queryTypes.tsig
    at = end
  }
  return { edns, hasTsig }
}

/** Most bytes of an answer to a query over UDP. */
export function udpLimit({ edns }: Query): number {
  return edns ? Math.min(Math.max(edns.udpBytes, plainUdpBytes), maxUdpBytes) : plainUdpBytes
}

// ---- Answers -------------------------------------------------------------------------------------------------------

/** The records of one name and type, ready to be sent. */
export interface WireRrset {
  readonly type: number
  readonly ttl: number
  /** The data of each record, names in it uncompressed. */
  readonly data: readonly Buffer[]
}

/** An RRset with the name that it is answered under. */
export interface OwnedRrset {
  readonly owner: string
  readonly rrset: WireRrset
}

/** What an answer says, apart from how it is sent. */
export interface Answer {
  readonly rcode: number
  readonly isAuthoritative: boolean
  readonly answer: readonly OwnedRrset[]
  readonly authority: readonly OwnedRrset[]
  readonly additional: readonly OwnedRrset[]
  /** What it has in common with all answers that are counted together with it (see response-rate.ts). */
  readonly countedAs: string
}

/** What all errors are counted as, whatever was asked. */
export const countedAsError = ''

/** An answer without records. */
export function bareAnswer(rcode: number, isAuthoritative = false, countedAs = countedAsError): Answer {
  return { rcode, isAuthoritative, answer: [], authority: [], additional: [], countedAs }
}

/**
 * Writes an answer of at most `limit` bytes. Records that do not fit are left out, all of a name and type or none: what
 * is additional in silence, anything else with the sign that the caller should come again over TCP.
 */
export function writeAnswer(query: Query, answer: Answer, limit: number): Buffer {
  const writer = new Writer(query, limit - (query.edns ? optBytes : 0))
  const fits = writer.section(6, answer.answer) && writer.section(8, answer.authority)
  if (!fits) writer.truncate()
  else for (const one of answer.additional) writer.section(10, [one])
  return writer.finish(answer)
}

/**
 * What is left of an answer when whoever asked is to come again over TCP: the question, and OPT where there was one. It
 * is no longer than the query was.
 */
export function truncated(answer: Buffer): Buffer {
  const questionEnd = answer.length > headerBytes ? plainNameEnd(answer, headerBytes) + 4 : headerBytes
  const optStart = answer.length - optBytes
  const hasOpt = answer.readUInt16BE(10) > 0 && answer.readUIntBE(optStart, 3) === queryTypes.opt
  const short = Buffer.concat([answer.subarray(0, questionEnd), hasOpt ? answer.subarray(optStart) : Buffer.alloc(0)])
  short[2] = short[2]! | 2
  short.fill(0, 6, headerBytes)
  short[headerBytes - 1] = hasOpt ? 1 : 0
  return short
}

/** An answer to what could not be read as a query: the header alone. */
export function writeRefusal(bytes: Buffer, rcode: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  bytes.copy(header, 0, 0, 3)
  header[2] = (header[2]! & 0x79) | 0x80
  header[3] = rcode
  return header
}

/** Writes the sections of one message. Owner names are compressed against the question. */
class Writer {
  readonly #query: Query
  readonly #limit: number
  readonly #head: Buffer
  readonly #counts = new Map<number, number>()
  #parts: Buffer[] = []
  #length: number
  #isTruncated = false

  constructor(query: Query, limit: number) {
    this.#query = query
    this.#limit = limit
    this.#head = Buffer.from(query.bytes.subarray(0, query.end))
    this.#length = query.end
  }

  /** Writes RRsets into the section whose count is at `counter`; false when one did not fit. */
  section(counter: number, all: readonly OwnedRrset[]): boolean {
    for (const { owner, rrset } of all) {
      const name = compressed(owner, this.#query.name)
      const bytes = rrset.data.reduce((sum, { length }) => sum + name.length + 10 + length, 0)
      if (this.#length + bytes > this.#limit) return false
      for (const data of rrset.data) this.#parts.push(name, fixed(rrset, data.length), data)
      this.#length += bytes
      this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + rrset.data.length)
    }
    return true
  }

  /** Nothing but the question is left: who is told so asks again over TCP and needs no part of it. */
  truncate(): void {
    this.#parts = []
    this.#counts.clear()
    this.#isTruncated = true
  }

  finish({ rcode, isAuthoritative }: Answer): Buffer {
    const head = this.#head
    const { edns, opcode } = this.#query
    head[2] = 0x80 | (opcode << 3) | (isAuthoritative ? 4 : 0) | (this.#isTruncated ? 2 : 0) | (head[2]! & 1)
    head[3] = rcode & 0xf
    for (const counter of [6, 8, 10]) head.writeUInt16BE(this.#counts.get(counter) ?? 0, counter)
    if (!edns) return Buffer.concat([head, ...this.#parts])
    head.writeUInt16BE(head.readUInt16BE(10) + 1, 10)
    const opt = Buffer.of(0, 0, queryTypes.opt, 0, 0, rcode >> 4, 0, edns.dnssecOk ? 0x80 : 0, 0, 0, 0)
    opt.writeUInt16BE(maxUdpBytes, 3)
    return Buffer.concat([head, ...this.#parts, opt])
  }
}

function fixed({ type, ttl }: WireRrset, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(10)
  bytes.writeUInt16BE(type, 0)
  bytes.writeUInt16BE(1, 2)
  bytes.writeUInt32BE(ttl, 4)
  bytes.writeUInt16BE(length, 8)
  return bytes
}

/** A name whose end is replaced by a pointer to the same end of the name in the question. */
function compressed(owner: string, question: NameKey): Buffer {
  for (let at = 0; at < owner.length - 1; at += owner.charCodeAt(at) + 1) {
    const end = owner.slice(at)
    if (!question.endsWith(end) || !isLabelStart(question, question.length - end.length)) continue
    const pointer = 0xc000 | (headerBytes + question.length - end.length)
    return Buffer.concat([Buffer.from(owner.slice(0, at), 'latin1'), Buffer.of(pointer >> 8, pointer & 0xff)])
  }
  return Buffer.from(owner, 'latin1')
}

function isLabelStart(name: string, place: number): boolean {
  let at = 0
  while (at < place) at += name.charCodeAt(at) + 1
  return at === place
}

/** Writes one record outside an answer, with its name in full. */
export function recordBytes({ owner, rrset }: OwnedRrset): Buffer {
  const name = Buffer.from(owner, 'latin1')
  return Buffer.concat(rrset.data.flatMap((data) => [name, fixed(rrset, data.length), data]))
}
