/**
 * Message authentication with TSIG (RFC 8945): signs queries, and verifies that answers of one or several messages come
 * from a holder of the key. A message that fails verification must not be used.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { lowerName, nameOf } from '../protocols/net/dns/names.ts'
import type { TsigAlgorithm } from '../protocols/net/dns/tsig-algorithms.ts'
import { headerBytes, readName, skipName } from '../protocols/net/dns/wire.ts'
import { queryTypes } from './message.ts'

export interface TsigKey {
  /** The key's name in wire format and lower case. */
  readonly name: string
  readonly algorithm: TsigAlgorithm
  readonly secret: Buffer
}

const algorithmNames: Readonly<Record<TsigAlgorithm, string>> = {
  'hmac-md5': nameOf('hmac-md5.sig-alg.reg.int'),
  'hmac-sha1': nameOf('hmac-sha1'),
  'hmac-sha256': nameOf('hmac-sha256'),
}

/** The maximum difference between the clocks of both sides, in seconds. */
const fudge = 300
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

/** The signed fields besides the message itself: class ANY, TTL 0, no error, no other data. */
function variables(key: TsigKey, times: Buffer): Buffer {
  const head = [latin1(key.name), Buffer.of(0, 255, 0, 0, 0, 0), latin1(algorithmNames[key.algorithm])]
  return Buffer.concat([...head, times, Buffer.alloc(4)])
}

function mac({ algorithm, secret }: TsigKey, ...parts: Buffer[]): Buffer {
  const hmac = createHmac(algorithm.slice('hmac-'.length), secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

const withLength = (bytes: Buffer) => Buffer.concat([u16(bytes.length), bytes])

/**
 * Signs a message. Returns it with its MAC, which `AnswerCheck` needs; `before` is the MAC of the message it answers.
 */
export function sign(
  message: Buffer,
  key: TsigKey,
  nowMs: number,
  before?: Buffer,
): { readonly message: Buffer; readonly mac: Buffer } {
  const times = timers(Math.floor(nowMs / 1_000))
  const previous = before ? [withLength(before)] : []
  const signature = mac(key, ...previous, message, variables(key, times))
  const data = Buffer.concat([
    latin1(algorithmNames[key.algorithm]),
    times,
    withLength(signature),
    message.subarray(0, 2),
    Buffer.alloc(4),
  ])
  const record = [latin1(key.name), u16(queryTypes.tsig), Buffer.of(0, 255, 0, 0, 0, 0), withLength(data)]
  const signed = Buffer.concat([message, ...record])
  signed.writeUInt16BE(signed.readUInt16BE(10) + 1, 10)
  return { message: signed, mac: signature }
}

interface Signature {
  /** The offset of the TSIG record in the message. */
  readonly start: number
  readonly key: string
  readonly algorithm: string
  readonly times: Buffer
  readonly mac: Buffer
  readonly error: number
}

/** The TSIG record of a message, which must be its last; undefined when it has none. */
function signatureOf(message: Buffer): Signature | undefined {
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
    error: message.readUInt16BE(macEnd + 2),
  }
}

/** The message without its TSIG record, as it was when it was signed. */
function unsigned(message: Buffer, { start }: Signature): Buffer {
  const bare = Buffer.from(message.subarray(0, start))
  bare.writeUInt16BE(bare.readUInt16BE(10) - 1, 10)
  return bare
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
