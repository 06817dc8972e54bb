/**
 * Queries that are signed with TSIG (RFC 8945): what is signed with a known key is answered as if it was not, and its
 * answer is signed; anything else is refused.
 */

import type { NameKey } from '../protocols/net/dns/names.ts'
import type { TsigKey } from '../protocols/net/dns/tsig-keys.ts'
import { headerBytes, skipName } from '../protocols/net/dns/wire.ts'
import { opcodes, queryTypes, rcodes, readQuery, truncated, udpLimit, writeRefusal } from './message.ts'
import { algorithmNames, fudge, type Signature, sign, signatureOf, signedWith, unsigned, withRecord } from './tsig.ts'

/** Errors in TSIG records. */
const errors = { badSignature: 16, badKey: 17, badTime: 18, badTruncation: 22 }

/** A query without its signature, and what becomes of its answers. */
export interface VerifiedQuery {
  readonly bytes: Buffer
  /** The key with which it was signed; undefined when it was not. */
  readonly key: TsigKey | undefined
  /** Signs the messages of the answer in order. */
  seal(answer: Buffer): Buffer
}

/** A query that is refused. */
interface RefusedQuery {
  readonly refusal: Buffer
}

export class SignedQueries {
  readonly #keys: ReadonlyMap<NameKey, TsigKey>
  readonly #nowMs: () => number

  constructor(keys: readonly TsigKey[], nowMs: () => number) {
    this.#keys = new Map(keys.map((key) => [key.name, key]))
    this.#nowMs = nowMs
  }

  /** Verifies the signature of a message, if it has one. */
  open(bytes: Buffer): VerifiedQuery | RefusedQuery {
    const kind = signatureKind(bytes)
    if (kind === 'none') return { bytes, key: undefined, seal: (answer) => answer }
    const signature = kind === 'last' ? signatureOf(bytes) : undefined
    if (!signature) return { refusal: writeRefusal(bytes, rcodes.formatError) }
    const bare = unsigned(bytes, signature)
    const key = this.#keys.get(signature.key)
    if (!key || signature.algorithm !== algorithmNames[key.algorithm]) {
      // Primaries sign with keys of their zones, and are known by their addresses.
      if (isNotify(bytes)) return { bytes: bare, key: undefined, seal: (answer) => answer }
      return refusing(bare, signature, errors.badKey)
    }
    return this.#verify(bytes, bare, signature, key)
  }

  #verify(bytes: Buffer, bare: Buffer, signature: Signature, key: TsigKey): VerifiedQuery | RefusedQuery {
    const proof = signedWith(key, bytes, signature)
    if (proof === 'forged') return refusing(bare, signature, errors.badSignature)
    const seconds = Math.floor(this.#nowMs() / 1_000)
    const signedAt = signature.times.readUIntBE(0, 6)
    let before = signature.mac
    const refuse = (error: number, other?: Buffer) => {
      const how = { seconds: signedAt, before, error, ...(other && { other }) }
      return { refusal: sign(bodyOf(bare, rcodes.notAuthoritative), key, how).message }
    }
    if (proof === 'cut') return refuse(errors.badTruncation)
    if (Math.abs(seconds - signedAt) > fudge) {
      const other = Buffer.alloc(6)
      other.writeUIntBE(seconds, 0, 6)
      return refuse(errors.badTime, other)
    }
    let isFollowing = false
    const seal = (answer: Buffer) => {
      const signed = sign(answer, key, { seconds: Math.floor(this.#nowMs() / 1_000), before, isFollowing })
      before = signed.mac
      isFollowing = true
      return signed.message
    }
    return { bytes: bare, key, seal }
  }
}

/** A refusal that nobody signs, because the query proves nothing. */
function refusing(bare: Buffer, signature: Signature, error: number): RefusedQuery {
  const { key, algorithm, times } = signature
  const about = { key, algorithm, times, mac: Buffer.alloc(0), error }
  return { refusal: withRecord(bodyOf(bare, rcodes.notAuthoritative), about) }
}

/** An answer to a query that has nothing but its question. */
function bodyOf(bare: Buffer, rcode: number): Buffer {
  const query = readQuery(bare)
  const header = writeRefusal(bare, rcode)
  if (typeof query !== 'object' || !('name' in query)) return header
  header.writeUInt16BE(1, 4)
  return Buffer.concat([header, bare.subarray(headerBytes, query.end)])
}

/** Truncates a signed answer over UDP that its client may not be able to take. */
export function fitting(query: Buffer, answer: Buffer, seal: VerifiedQuery['seal']): Buffer {
  const parsed = readQuery(query)
  const limit = typeof parsed === 'object' && 'name' in parsed ? udpLimit(parsed) : answer.length
  return answer.length + mostSignatureBytes > limit ? seal(truncated(answer)) : seal(answer)
}

/** The longest TSIG record: two names, 64 bytes of MAC, and what else it has. */
const mostSignatureBytes = 255 + 26 + 64 + 26

const isNotify = (bytes: Buffer) => ((bytes[2]! >> 3) & 0xf) === opcodes.notify

/** Tells whether a message has a TSIG record, and whether it is where it belongs. */
function signatureKind(bytes: Buffer): 'none' | 'last' | 'misplaced' {
  if (bytes.length < headerBytes || bytes.readUInt16BE(10) === 0) return 'none'
  let at = headerBytes
  for (let question = bytes.readUInt16BE(4); question > 0; question--) {
    const end = skipName(bytes, at)
    if (end < 0) return 'none'
    at = end + 4
  }
  let count = bytes.readUInt16BE(6) + bytes.readUInt16BE(8) + bytes.readUInt16BE(10)
  for (; count > 0; count--) {
    const end = skipName(bytes, at)
    if (end < 0 || end + 10 > bytes.length) return 'none'
    if (bytes.readUInt16BE(end) === queryTypes.tsig) return count === 1 ? 'last' : 'misplaced'
    at = end + 10 + bytes.readUInt16BE(end + 8)
  }
  return 'none'
}
