/**
 * Answers as bytes, each found by the question it answers. Questions are compared as bytes: to make a text of each, in
 * lower case and as a key, takes longer than all else that is done for a query whose answer is kept.
 */

import { headerBytes } from '../protocols/net/dns/wire.ts'
import { type Lasting, maxUdpBytes, queryTypes } from './message.ts'
import type { RegisteredZone } from './registry.ts'
import { Remembered } from './remembered.ts'
import type { ZoneImage } from './zone-image.ts'

/** A version of a zone that an answer was made from. */
export interface Source {
  readonly entry: RegisteredZone
  readonly image: ZoneImage
  readonly version: number
}

/** An answer to be kept, with the zone versions that it was made from. */
export interface Keepable {
  readonly bytes: Buffer
  /** The rate limit key of the answer; undefined exempts it from the limit. */
  readonly countedAs: string | undefined
  readonly sources: readonly Source[]
  /** How many zones had come, for an answer whose alias leads to none of them; undefined for others. */
  readonly comings: number | undefined
  /** The time in which its signatures can be given; undefined for an answer without any of our own. */
  readonly lasting: Lasting | undefined
}

/** A kept answer. */
export interface Kept extends Keepable {
  /** The offset of the first byte after the question. */
  readonly end: number
  /** What EDNS of the query changed about the answer, as `ednsOf` tells it. */
  readonly edns: number
}

/** The numbers of kept answers and of questions that were answered once, each in a generation. */
const mostKept = 50_000
const mostAsked = 10_000
/** The longest query whose answer is kept, in bytes. */
const longestKept = 200
const optBytes = 11

/** Every byte with ASCII letters in lower case. Lengths of labels are below all letters, so that they stay as they are. */
const lower = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte))

export class KeptAnswers {
  readonly #kept = new Remembered<number, Kept>(mostKept)
  readonly #asked = new Remembered<number, true>(mostAsked)
  readonly #nowMs: () => number

  /** `nowMs` is the clock by which signatures last. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** The answer to a query as it is kept, when so many zones have come; undefined when there is none that still holds. */
  find(query: Buffer, comings: number): Kept | undefined {
    const end = questionEnd(query)
    if (end < 0) return undefined
    const edns = ednsOf(query, end)
    if (edns < 0) return undefined
    const hash = hashOf(query, end, edns)
    const kept = this.#kept.get(hash)
    if (kept === undefined || kept.edns !== edns || !isSameQuestion(kept, query, end)) return undefined
    if (isCurrent(kept, comings) && this.#lasts(kept)) return kept
    this.#kept.delete(hash)
    return undefined
  }

  #lasts({ lasting }: Kept): boolean {
    if (lasting === undefined) return true
    const now = this.#nowMs()
    return lasting.fromMs <= now && now < lasting.untilMs
  }

  /**
   * Keeps the answer to a query, if queries of its form have theirs kept and this one was asked before. A flood of random
   * names, each of which is asked once, takes no place from others.
   */
  keep(query: Buffer, answer: Keepable): void {
    const end = questionEnd(query)
    const edns = end < 0 ? -1 : ednsOf(query, end)
    if (edns < 0) return
    const hash = hashOf(query, end, edns)
    if (this.#asked.get(hash)) this.#kept.set(hash, { ...answer, bytes: apart(answer.bytes), end, edns })
    else this.#asked.set(hash, true)
  }
}

/** A copy in memory of its own: short buffers are parts of larger ones, all of which they would keep. */
function apart(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

/** A kept answer with the id, the RD flag and the question of a query. */
export function answerTo(query: Buffer, { bytes, end }: Kept): Buffer {
  const answer = Buffer.allocUnsafe(bytes.length)
  answer.set(bytes)
  answer[0] = query[0]!
  answer[1] = query[1]!
  answer[2] = (bytes[2]! & 0xfe) | (query[2]! & 1)
  // The question goes back as it was sent: a client that randomizes the case of letters compares them with the answer.
  for (let at = headerBytes; at < end; at++) answer[at] = query[at]!
  return answer
}

function isCurrent({ sources, comings }: Kept, now: number): boolean {
  if (comings !== undefined && comings !== now) return false
  for (const { entry, image, version } of sources) {
    // Compare images as well as versions: the zone may have been deleted and created again under the same name.
    if (entry.image !== image || entry.zone.version !== version || image.version !== version) return false
  }
  return true
}

/**
 * The offset after the question of a query of the usual form: one question and at most one record behind it. Two such
 * queries with the same question and EDNS differ at most in id, flags that change nothing, and letter case. Negative
 * for messages of any other form.
 */
function questionEnd(query: Buffer): number {
  const { length } = query
  if (length < headerBytes + 5 || length > longestKept) return -1
  // QR, opcode, AA and TC must be 0.
  if ((query[2]! & 0xfe) !== 0 || query[4] !== 0 || query[5] !== 1) return -1
  if ((query[6]! | query[7]! | query[8]! | query[9]! | query[10]!) !== 0 || query[11]! > 1) return -1
  let at = headerBytes
  while (at < length && query[at] !== 0) {
    if (query[at]! > 63) return -1
    at += query[at]! + 1
  }
  const end = at + 5
  return end <= length ? end : -1
}

/**
 * What EDNS of a query changes about its answer; negative for messages of another form. Only OPT of version 0 is of the
 * usual form; its options, such as cookies, do not affect the answer.
 */
function ednsOf(query: Buffer, at: number): number {
  if (query[11] === 0) return at === query.length ? 0 : -1
  if (at + optBytes > query.length || query[at] !== 0 || query[at + 1] !== 0) return -1
  if (query[at + 2] !== queryTypes.opt || query[at + 5] !== 0 || query[at + 6] !== 0) return -1
  if (at + optBytes + query.readUInt16BE(at + 9) !== query.length) return -1
  // The flags DO and CO.
  return 4 * Math.min(Math.max(query.readUInt16BE(at + 3), 512), maxUdpBytes) + (query[at + 7]! >> 6)
}

/**
 * A hash of a question in any case, of 30 bits, which V8 keeps without an object. Of questions with the same hash one is
 * kept, so that whoever makes up such names costs as much time as with others that are not kept.
 */
function hashOf(query: Buffer, end: number, edns: number): number {
  let hash = edns
  let at = headerBytes
  for (; at + 4 <= end; at += 4) {
    const four = query[at]! | (query[at + 1]! << 8) | (query[at + 2]! << 16) | (query[at + 3]! << 24)
    hash = mixed(hash ^ (four | 0x20202020))
  }
  for (; at < end; at++) hash = mixed(hash ^ (query[at]! | 0x20))
  return hash & 0x3fffffff
}

function mixed(hash: number): number {
  const product = Math.imul(hash, 0x9e3779b1)
  return product ^ (product >>> 15)
}

function isSameQuestion({ bytes, end }: Kept, query: Buffer, queryEnd: number): boolean {
  if (end !== queryEnd) return false
  const nameEnd = end - 4
  for (let at = headerBytes; at < nameEnd; at++) {
    const one = bytes[at]!
    const other = query[at]!
    if (one !== other && lower[one] !== lower[other]) return false
  }
  // Type and class are numbers, and 65 is another type than 97.
  for (let at = nameEnd; at < end; at++) if (bytes[at] !== query[at]) return false
  return true
}
