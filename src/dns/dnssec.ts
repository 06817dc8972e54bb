/**
 * Signed zones (RFC 4034, 5155): the types of records that are not data of their own, and what the name server has to read
 * in those that primaries made. What Wolke signs itself is in signing/.
 */
import { createHash } from 'node:crypto'
import { type NameKey, selfAndParents } from '../protocols/net/dns/names.ts'
import { plainNameAt, typeName } from '../protocols/net/dns/rdata.ts'

/** Types that zones of the API cannot have, and that secondary or signed zones are answered by. */
export const wireTypes = {
  DNAME: 39,
  RRSIG: 46,
  NSEC: 47,
  DNSKEY: 48,
  NSEC3: 50,
  NSEC3PARAM: 51,
  CDS: 59,
  CDNSKEY: 60,
  NXNAME: 128,
} as const

/** The type that an RRSIG record covers. */
export const coveredType = (data: Buffer): number => data.readUInt16BE(0)

/**
 * The name under which an RRset is stored. RRSIG records of one name are one RRset for each type that they cover, because
 * each of these has a TTL of its own (RFC 4034, 3).
 */
export function storedType(type: number, data: Buffer): string {
  return type === wireTypes.RRSIG ? `${typeName(type)}:${typeName(coveredType(data))}` : typeName(type)
}

/** The name of the type of an RRset that is stored under a name. */
export const plainType = (stored: string): string => stored.split(':')[0]!

/** How names are hashed in a zone with NSEC3 records. */
export interface Hashing {
  readonly algorithm: number
  readonly iterations: number
  readonly salt: Buffer
}

/** Reads what NSEC3 and NSEC3PARAM records have in common; undefined when they are cut off. */
export function hashingIn(data: Buffer): Hashing | undefined {
  const end = 5 + (data[4] ?? 0)
  if (data.length < Math.max(5, end)) return undefined
  return { algorithm: data[0]!, iterations: data.readUInt16BE(2), salt: data.subarray(5, end) }
}

export const isSameHashing = (one: Hashing | undefined, other: Hashing): boolean =>
  one?.algorithm === other.algorithm && one.iterations === other.iterations && one.salt.equals(other.salt)

/**
 * The maximum number of additional iterations. Each one costs time in every negative answer, and validators treat a zone
 * that has more as not signed (RFC 9276, 3.2).
 */
const mostIterations = 150
const rrsigBytes = 18

/** What is wrong with data that answers depend on, in words that follow "it sent"; undefined when nothing is. */
export function dataProblem(type: number, data: Buffer): string | undefined {
  const malformed = `a malformed ${typeName(type)} record`
  if (type === wireTypes.DNAME) return plainNameAt(data, 0)?.length === data.length ? undefined : malformed
  if (type === wireTypes.RRSIG) return data.length > rrsigBytes ? undefined : malformed
  if (type !== wireTypes.NSEC3 && type !== wireTypes.NSEC3PARAM) return undefined
  const hashing = hashingIn(data)
  if (!hashing) return malformed
  if (hashing.iterations <= mostIterations) return undefined
  return `NSEC3 records with ${hashing.iterations} iterations, and there can be at most ${mostIterations}`
}

/** Characters of base32hex, whose order is that of the bytes (RFC 4648, 7). */
const digits = '0123456789abcdefghijklmnopqrstuv'

/** The hash of a name as the label that NSEC3 records have. */
export function hashOf(name: NameKey, { iterations, salt }: Hashing): string {
  let hash = Buffer.from(name, 'latin1')
  for (let round = 0; round <= iterations; round++) hash = createHash('sha1').update(hash).update(salt).digest()
  let label = ''
  for (let bit = 0; bit < 8 * hash.length; bit += 5) {
    const pair = (hash[bit >> 3]! << 8) | (hash[(bit >> 3) + 1] ?? 0)
    label += digits[(pair >> (11 - (bit & 7))) & 31]
  }
  return label
}

/** A text by which names sort in their canonical order (RFC 4034, 6.1): label by label, beginning with the last. */
export function canonicalKey(name: NameKey): string {
  const labels: string[] = []
  for (const at of selfAndParents(name)) {
    const label = at.slice(1, at.charCodeAt(0) + 1)
    // Bytes move up by one, so that the end of a label comes before each of them.
    labels.push(label.replace(/[\s\S]/g, (byte) => String.fromCharCode(byte.charCodeAt(0) + 1)))
  }
  return labels.reverse().join('\0')
}
