/**
 * Message authentication with TSIG (RFC 8945): signs messages, and verifies that queries, and answers of one or several
 * messages, come from a holder of the key. A message that fails verification must not be used.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { lowerName, nameOf } from '../protocols/net/dns/names.ts'
import type { KeyAlgorithm } from '../protocols/net/dns/tsig-algorithms.ts'
import type { TsigKey } from '../protocols/net/dns/tsig-keys.ts'
import { headerBytes, readName, skipName } from '../protocols/net/dns/wire.ts'
import { queryTypes } from './message.ts'

export const algorithmNames: Readonly<Record<KeyAlgorithm, string>> = {
  'hmac-md5': nameOf('hmac-md5.sig-alg.reg.int'),
  'hmac-sha1': nameOf('hmac-sha1'),
  'hmac-sha224': nameOf('hmac-sha224'),
  'hmac-sha256': nameOf('hmac-sha256'),
  'hmac-sha384': nameOf('hmac-sha384'),
  'hmac-sha512': nameOf('hmac-sha512'),
}

/** The maximum difference between the clocks of both sides, in seconds. */
export const fudge = 300
/** The maximum number of unsigned messages in a row within an answer (RFC 8945, 5.3.1). */
const longestUnsigned = 100

const latin1 = (text: string) => Buffer.from(text, 'latin1')

function u16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff)
}

function timers(seconds: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUIntBE(seconds, 0, 6)
  bytes.writeUInt16BE(fudge, 6)
  return bytes
}

/** The signed fields besides the message itself: class ANY, TTL 0, the times, the error and other data. */
function variables(key: TsigKey, times: Buffer, error = 0, other: Buffer = Buffer.alloc(0)): Buffer {
  const head = [latin1(key.name), Buffer.of(0, 255, 0, 0, 0, 0), latin1(algorithmNames[key.algorithm])]
  return Buffer.concat([...head, times, u16(error), withLength(other)])
}

function mac({ algorithm, secret }: TsigKey, ...parts: Buffer[]): Buffer {
  const hmac = createHmac(algorithm.slice('hmac-'.length), secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

const withLength = (bytes: Buffer) => Buffer.concat([u16(bytes.length), bytes])

/** The signature of a message. */
interface Signing {
  /** The time of signing, in seconds since the epoch. */
  readonly seconds: number
  /** The MAC of the message that it answers or follows. */
  readonly before?: Buffer | undefined
  /** True for the messages of an answer after the first: of their fields only the times are signed (RFC 8945, 5.3.1). */
  readonly isFollowing?: boolean
  readonly error?: number
  readonly other?: Buffer
}

/** A signed message with its MAC. */
export interface Signed {
  readonly message: Buffer
  readonly mac: Buffer
}

/** Signs a message. */
export function sign(message: Buffer, key: TsigKey, how: Signing): Signed {
  const { seconds, before, isFollowing = false, error = 0, other = Buffer.alloc(0) } = how
  const times = timers(seconds)
  const previous = before ? [withLength(before)] : []
  const about = isFollowing ? times : variables(key, times, error, other)
  const signature = mac(key, ...previous, message, about)
  const fields = { key: key.name, algorithm: algorithmNames[key.algorithm], times, mac: signature, error, other }
  return { message: withRecord(message, fields), mac: signature }
}

/** Adds a TSIG record to a message. */
export function withRecord(
  message: Buffer,
  { key, algorithm, times, mac, error, other = Buffer.alloc(0) }: Omit<Signature, 'start' | 'id'>,
): Buffer {
  const rest = [withLength(mac), message.subarray(0, 2), u16(error), withLength(other)]
  const data = Buffer.concat([latin1(algorithm), times, ...rest])
  const record = [latin1(key), u16(queryTypes.tsig), Buffer.of(0, 255, 0, 0, 0, 0), withLength(data)]
  const signed = Buffer.concat([message, ...record])
  signed.writeUInt16BE(signed.readUInt16BE(10) + 1, 10)
  return signed
}

/** The TSIG record of a message. */
export interface Signature {
  /** Its offset in the message. */
  readonly start: number
  /** The id that the message had when it was signed. */
  readonly id: number
  readonly key: string
  readonly algorithm: string
  readonly times: Buffer
  readonly mac: Buffer
  readonly error: number
  readonly other?: Buffer
}

/** The TSIG record of a message, which must be its last; undefined when it has none that can be read. */
export function signatureOf(message: Buffer): Signature | undefined {
  const counts = [4, 6, 8, 10].map((at) => message.readUInt16BE(at))
  const records = counts[1]! + counts[2]! + counts[3]!
  let at = headerBytes
  for (let question = 0; question < counts[0]!; question++) at = skipName(message, at) + 4
  for (let index = 1; index < records; index++) {
    const end = skipName(message, at)
    if (end < 0 || end + 10 > message.length) return undefined
    at = end + 10 + message.readUInt16BE(end + 8)
  }
  const nameEnd = skipName(message, at)
  if (records === 0 || nameEnd < 0 || nameEnd + 10 > message.length) return undefined
  if (message.readUInt16BE(nameEnd) !== queryTypes.tsig) return undefined
  const data = nameEnd + 10
  const algorithm = readName(message, data)
  const key = readName(message, at)
  const timesAt = data + (algorithm?.length ?? 0)
  if (algorithm === undefined || key === undefined || timesAt + 10 > message.length) return undefined
  const macEnd = timesAt + 10 + message.readUInt16BE(timesAt + 8)
  if (macEnd + 6 > message.length) return undefined
  return {
    start: at,
    key: lowerName(key),
    algorithm: lowerName(algorithm),
    times: message.subarray(timesAt, timesAt + 8),
    mac: message.subarray(timesAt + 10, macEnd),
    id: message.readUInt16BE(macEnd),
    error: message.readUInt16BE(macEnd + 2),
  }
}

/** The message without its TSIG record, as it was when it was signed. */
export function unsigned(message: Buffer, { start }: Signature): Buffer {
  const bare = Buffer.from(message.subarray(0, start))
  bare.writeUInt16BE(bare.readUInt16BE(10) - 1, 10)
  return bare
}

/** How a query was signed with a key. Of a MAC that is cut, half of it and 10 bytes at least are there (RFC 8945, 5.2.2.1). */
export function signedWith(key: TsigKey, message: Buffer, signature: Signature): 'whole' | 'cut' | 'forged' {
  const bare = unsigned(message, signature)
  bare.writeUInt16BE(signature.id, 0)
  const whole = mac(key, bare, variables(key, signature.times))
  const { length } = signature.mac
  if (timingSafeEqualLengths(whole, signature.mac)) return 'whole'
  const isCut =
    length >= Math.max(10, whole.length / 2) && timingSafeEqualLengths(whole.subarray(0, length), signature.mac)
  return isCut ? 'cut' : 'forged'
}

/** Verifies the messages of one answer in order. */
export class AnswerCheck {
  readonly #key: TsigKey
  readonly #nowMs: () => number
  #previous: Buffer
  #isFirst = true
  readonly #waiting: Buffer[] = []

  constructor(key: TsigKey, queryMac: Buffer, nowMs: () => number) {
    this.#key = key
    this.#previous = queryMac
    this.#nowMs = nowMs
  }

  /** True when the latest message was signed, which covers all unsigned ones before it. */
  get isComplete(): boolean {
    return !this.#isFirst && this.#waiting.length === 0
  }

  /** Takes the next message. Throws when its signature is missing or wrong. */
  take(message: Buffer): void {
    const signature = signatureOf(message)
    if (!signature) {
      if (this.#isFirst || this.#waiting.length >= longestUnsigned) throw new Error('the answer is not signed')
      this.#waiting.push(Buffer.from(message))
      return
    }
    const { key, algorithm, times, error } = signature
    if (error !== 0) throw new Error(`the primary refuses the signature with error ${error}`)
    if (key !== this.#key.name || algorithm !== algorithmNames[this.#key.algorithm]) {
      throw new Error('the answer is signed with another key')
    }
    const about = this.#isFirst ? variables(this.#key, times) : times
    const expected = mac(this.#key, withLength(this.#previous), ...this.#waiting, unsigned(message, signature), about)
    if (!timingSafeEqualLengths(expected, signature.mac)) throw new Error('the signature of the answer is wrong')
    const seconds = times.readUIntBE(0, 6)
    if (Math.abs(this.#nowMs() / 1_000 - seconds) > fudge)
      throw new Error('the signing time of the answer differs too much from the local clock')
    this.#previous = Buffer.from(signature.mac)
    this.#isFirst = false
    this.#waiting.length = 0
  }
}

function timingSafeEqualLengths(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
