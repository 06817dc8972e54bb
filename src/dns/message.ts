/**
 * DNS messages (RFC 1035, 4; RFC 6891): parses queries from untrusted bytes and writes answers. The parser tells
 * malformed queries from messages to ignore, and never throws.
 */
import { lowerName, type NameKey } from '../protocols/net/dns/names.ts'
import { headerBytes, skipName } from '../protocols/net/dns/wire.ts'

/** Response codes. */
export const rcodes = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  nameError: 3,
  notImplemented: 4,
  refused: 5,
  /** YXDOMAIN: the name that a DNAME record leads to is too long (RFC 6672, 2.2). */
  nameTooLong: 6,
  notAuthoritative: 9,
  badVersion: 16,
} as const

export const opcodes = { query: 0, notify: 4 } as const

/** Types that occur in queries only, never in zones. */
export const queryTypes = { opt: 41, tsig: 250, ixfr: 251, axfr: 252, any: 255 } as const

/** The length of an OPT record without options. */
const optBytes = 11
/** The maximum UDP payload that passes every path without fragmentation (DNS Flag Day 2020). */
export const maxUdpBytes = 1_232
const plainUdpBytes = 512
export const maxTcpBytes = 65_535

/** A parsed query. */
export interface Query {
  readonly bytes: Buffer
  readonly opcode: number
  /** The queried name in lower case; `bytes` keeps the case that the client sent. */
  readonly name: NameKey
  readonly type: number
  readonly class: number
  /** The offset of the first byte after the question. */
  readonly end: number
  /** Undefined for a query without EDNS. */
  readonly edns: Edns | undefined
}

interface Edns {
  readonly version: number
  readonly udpBytes: number
  readonly dnssecOk: boolean
  /** True when the client takes NXDOMAIN with a compact denial (RFC 9824, 5.1). */
  readonly compactOk: boolean
}

/** The reaction to bytes that cannot be parsed: the message is ignored, or answered with a response code. */
export type Unreadable = 'ignore' | { readonly rcode: number }

/** Parses a message as a query. */
export function readQuery(bytes: Buffer): Query | Unreadable {
  if (bytes.length < headerBytes || (bytes[2]! & 0x80) !== 0) return 'ignore'
  const opcode = (bytes[2]! >> 3) & 0xf
  if (opcode !== opcodes.query && opcode !== opcodes.notify) return { rcode: rcodes.notImplemented }
  // A query has exactly one question. Only a NOTIFY may have records in the answer section.
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

/** The offset after an uncompressed name; -1 when it is malformed. The first name of a message cannot be compressed. */
function plainNameEnd(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length && at - start < 255; at += bytes[at]! + 1) {
    if (bytes[at] === 0) return at + 1
    if (bytes[at]! > 63) return -1
  }
  return -1
}

/** Scans the records after the question for OPT; undefined when they are malformed. */
function readAdditional(bytes: Buffer, start: number): Pick<Query, 'edns'> | undefined {
  const before = bytes.readUInt16BE(6) + bytes.readUInt16BE(8)
  const count = before + bytes.readUInt16BE(10)
  let edns: Query['edns']
  let at = start
  for (let index = 0; index < count; index++) {
    const nameEnd = skipName(bytes, at)
    if (nameEnd < 0 || nameEnd + 10 > bytes.length) return undefined
    const type = bytes.readUInt16BE(nameEnd)
    const end = nameEnd + 10 + bytes.readUInt16BE(nameEnd + 8)
    if (end > bytes.length) return undefined
    if (type === queryTypes.opt) {
      // A message has at most one OPT record, in the additional section, with the root as its name (RFC 6891, 6.1.1).
      if (edns || index < before || nameEnd !== at + 1) return undefined
      const [version, flags] = [bytes[nameEnd + 5]!, bytes[nameEnd + 6]!]
      const udpBytes = bytes.readUInt16BE(nameEnd + 2)
      edns = { version, udpBytes, dnssecOk: (flags & 0x80) !== 0, compactOk: (flags & 0x40) !== 0 }
    }
    at = end
  }
  return { edns }
}

/** The maximum length in bytes of a UDP answer to a query. */
export function udpLimit({ edns }: Query): number {
  return edns ? Math.min(Math.max(edns.udpBytes, plainUdpBytes), maxUdpBytes) : plainUdpBytes
}

// ---- Answers -------------------------------------------------------------------------------------------------------

/** The records of one name and type, in wire format. */
export interface WireRrset {
  readonly type: number
  readonly ttl: number
  /** The data of each record; names in it are uncompressed. */
  readonly data: readonly Buffer[]
}

/** An RRset with its owner name. */
export interface OwnedRrset {
  readonly owner: string
  readonly rrset: WireRrset
  /** The RRSIG records that cover it. They are sent to clients that set the DO bit (RFC 4035, 3.1.1). */
  readonly signatures?: WireRrset | undefined
}

/** The time in which signatures can be given, in the clock's milliseconds. */
export interface Lasting {
  readonly fromMs: number
  readonly untilMs: number
}

/** The content of an answer, independent of the transport. */
export interface Answer {
  readonly rcode: number
  readonly isAuthoritative: boolean
  readonly answer: readonly OwnedRrset[]
  readonly authority: readonly OwnedRrset[]
  readonly additional: readonly OwnedRrset[]
  /** The key that this answer shares with all answers counted together by the rate limiter (see response-rate.ts). */
  readonly countedAs: string
  /** The time in which it can be given again; undefined for one without signatures that were made for it. */
  readonly lasting?: Lasting | undefined
}

/** The rate limit key of all errors, whatever the question was. */
export const countedAsError = ''

/** An answer without records. */
export function bareAnswer(rcode: number, isAuthoritative = false, countedAs = countedAsError): Answer {
  return { rcode, isAuthoritative, answer: [], authority: [], additional: [], countedAs }
}

/**
 * Writes an answer of at most `limit` bytes. An RRset that does not fit is left out as a whole: silently from the
 * additional section, otherwise with the TC flag, which makes the client retry over TCP.
 */
export function writeAnswer(query: Query, answer: Answer, limit: number): Buffer {
  const writer = new Writer(query, limit - (query.edns ? optBytes : 0))
  const fits = writer.section(6, answer.answer) && writer.section(8, answer.authority)
  if (!fits) writer.truncate()
  else for (const one of answer.additional) writer.section(10, [one])
  return writer.finish(answer)
}

/**
 * Truncates an answer to its question, with OPT if it had one, and sets the TC flag, which makes the client retry over
 * TCP. The result is no longer than the query was, so it cannot be used for amplification.
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

/** The answer to bytes that could not be parsed as a query: a header only. */
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

  /** Writes RRsets into the section whose count is at offset `counter`; returns false when one did not fit. */
  section(counter: number, all: readonly OwnedRrset[]): boolean {
    for (const { owner, rrset, signatures } of all) {
      const name = compressed(owner, this.#query.name)
      const isSigned = signatures && this.#query.edns?.dnssecOk
      const parts = [rrset, ...(isSigned ? [signatures] : [])].flatMap((some) =>
        some.data.flatMap((data) => [name, fixed(some, data.length), data]),
      )
      const bytes = parts.reduce((sum, { length }) => sum + length, 0)
      if (this.#length + bytes > this.#limit) return false
      this.#parts.push(...parts)
      this.#length += bytes
      this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + parts.length / 3)
    }
    return true
  }

  /** Drops all records: a client that sees the TC flag retries over TCP and needs none of them. */
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
    const flags = (edns.dnssecOk ? 0x80 : 0) | (edns.compactOk ? 0x40 : 0)
    const opt = Buffer.of(0, 0, queryTypes.opt, 0, 0, rcode >> 4, 0, flags, 0, 0, 0)
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

/** Compresses a name: a suffix that it shares with the question's name becomes a pointer to it. */
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

/** The records of an RRset, each with its uncompressed owner name, for use outside of an answer. */
export function recordsOf({ owner, rrset }: OwnedRrset): Buffer[] {
  const name = Buffer.from(owner, 'latin1')
  return rrset.data.map((data) => Buffer.concat([name, fixed(rrset, data.length), data]))
}
